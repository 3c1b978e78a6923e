/** What a file is that is no model (tests/data/cases/foreign.json), as the package says it. */
import { libcpb } from './support/libcpb.js';
import { assert, data, each, json, test } from './support/test.js';

/** @param {any} row */
async function contentOf({ file, text, base64 }) {
  if (file) return data(`tests/data/${file}`);
  return text === undefined ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) : new TextEncoder().encode(text);
}

/** @param {any} row */
async function check(row) {
  const file = new File([await contentOf(row)], row.name);
  const error = await libcpb.inspect(file).then(
    () => undefined,
    (/** @type {any} */ error) => error,
  );
  assert.equal(error?.code, 'FORMAT');
  assert.equal(error.message.slice(0, row.says.length), row.says);
}

test('a file is called what it is', async () =>
  each(await json('tests/data/cases/foreign.json'), ({ is, name }) => `${is} ${name}`, check));
