/** Middleware that is loaded when a file is read on: what came before is not asked for again. */
import { CpbError } from '../src/errors.js';
import { meter } from '../src/middleware/meter.js';
import { layeredLater } from '../src/source/later.js';
import { bytesAt } from './support/lies.js';
import { assert, test } from './support/test.js';

const SIZE = 1000;

/** A remote source of the package, whose answers for its end fail with these first. @param {...Error} failures */
function begin(...failures) {
  /** @type {string[]} */
  const asked = [];
  let loads = 0;
  /** @type {import('../src/types.js').Source} */
  const source = {
    remote: true,
    transferred: { requests: 0, bytes: 0 },
    async read(offset, length) {
      asked.push(`read ${offset}`);
      return bytesAt(offset, Math.min(SIZE, offset + length));
    },
    async stat() {
      asked.push('stat');
      return { size: SIZE };
    },
    async tail(length, options) {
      asked.push('tail');
      await Promise.resolve();
      options?.signal?.throwIfAborted();
      const failure = failures.shift();
      if (failure) throw failure;
      return { size: SIZE, bytes: bytesAt(SIZE - length, SIZE) };
    },
  };
  const load = () => (loads++, import('../src/source/layers.js'));
  const options = { retry: { base: 0 } };
  const layered = layeredLater(load)(source, options, meter(), true);
  return { layered, asked, loads: () => loads };
}

test('the end and the size load nothing, and are not asked for again', async () => {
  const { layered, asked, loads } = begin();
  assert.deepEqual((await layered.tail(100)).bytes, bytesAt(900, 1000));
  assert.equal((await layered.stat()).size, SIZE);
  assert.equal(loads(), 0);
  assert.deepEqual(await layered.read(950, 20), bytesAt(950, 970));
  assert.deepEqual(await layered.read(890, 20), bytesAt(890, 910));
  assert.equal((await layered.stat()).size, SIZE);
  assert.deepEqual(asked, ['tail', 'read 890']);
  assert.equal(loads(), 1);
});

test('what fails is repeated if that may help, and only then', async () => {
  const passing = begin(new CpbError('NETWORK', 'gone', { retryable: true }));
  assert.deepEqual((await passing.layered.tail(100)).bytes, bytesAt(900, 1000));
  assert.deepEqual(passing.asked, ['tail', 'tail']);
  const lasting = begin(new CpbError('HTTP', 'not found', { status: 404 }));
  await assert.rejects(lasting.layered.tail(100), { code: 'HTTP', status: 404 });
  assert.deepEqual(lasting.asked, ['tail']);
  assert.equal((await lasting.layered.tail(100)).size, SIZE);
});

test('what was aborted is asked for anew, and so is all after a reset', async () => {
  const { layered, asked } = begin();
  const controller = new AbortController();
  const waiting = layered.tail(100, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  assert.equal((await layered.tail(100)).size, SIZE);
  layered.reset();
  assert.equal((await layered.tail(50)).bytes.length, 50);
  assert.deepEqual(asked, ['tail', 'tail', 'tail']);
});
