/** The entry for React Native, which has no WebAssembly. ../recipes has what Metro and Hermes make of it. */
import * as here from '../src/react-native.js';
import * as everywhere from '../src/workerd.js';
import { assert, each, test } from './support/test.js';
// runtimes: workerd

/** @type {Record<string, any>} */
const { CpbError, codes, ...functions } = here;

test('the entry exports what the other entries export', () => {
  assert.deepEqual(Object.keys(here).sort(), Object.keys(everywhere).sort());
  assert.equal(CpbError, everywhere.CpbError);
});

test('each function says why it cannot work, where the others reject or throw', () =>
  each(
    Object.entries(functions),
    ([name]) => name,
    async ([name, call]) => {
      const error = await Promise.resolve()
        .then(() => call('https://example.com/model.cpb'))
        .catch((/** @type {unknown} */ thrown) => thrown);
      assert.ok(error instanceof CpbError, String(error));
      assert.equal(error.code, 'UNSUPPORTED');
      assert.match(error.message, new RegExp(`^${name}\\(\\): React Native has no WebAssembly`));
    },
  ));
