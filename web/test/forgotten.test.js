/** A file that nobody holds any more is closed; one of which a part is held is not. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { open } = libcpb;
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const rest = () => new Promise((done) => setTimeout(done, 20));

/** @param {(message: any) => unknown} use @param {number} most times that memory is collected */
async function openAndForget(use, most) {
  const bytes = await data('tests/data/cpb/real_keras_export/max3000_zstd.cpb');
  let closed = false;
  const source = {
    read: async (/** @type {number} */ o, /** @type {number} */ n) => bytes.subarray(o, o + n),
    stat: async () => ({ size: bytes.length }),
    close: () => void (closed = true),
  };
  const held = await (async () => use(await open(source)))();
  for (let i = 0; i < most && !closed; i++) {
    await rest();
    gc();
  }
  return { closed: () => closed, held };
}

test('a message that is forgotten is closed', async () => {
  const { closed } = await openAndForget(async (message) => {
    await message.messageSize();
    await (await message.field('meta_graphs[0]')).json({ omit: 10 });
    await message.chunk(0).bytes();
  }, 500);
  assert.ok(closed());
});

test('a chunk or a field keeps its file open', async () => {
  const { closed, held } = await openAndForget(
    async (message) => [message.chunk(0), await message.field('meta_graphs[0]')],
    20,
  );
  assert.ok(!closed());
  const [chunk, field] = /** @type {any[]} */ (held);
  assert.equal((await chunk.bytes()).length, chunk.size);
  assert.ok((await field.json({ omit: 5 })).graph_def);
});

test('using closes', async () => {
  const bytes = await data('tests/data/cpb/real_keras_export/max3000_zstd.cpb');
  const message = await open(bytes);
  message[Symbol.dispose]();
  await assert.rejects(message.messageSize(), { code: 'CLOSED' });
  const other = await open(bytes);
  await other[Symbol.asyncDispose]();
  assert.throws(() => other.chunk(0), { code: 'CLOSED' });
});
