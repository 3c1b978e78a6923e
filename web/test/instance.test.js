/** The instance and the driver: memory, errors, traps, and what is fetched when. */
import { setUpAllParts } from '../src/all-parts.js';
import { acquire, createInstance, release } from '../src/wasm/instance.js';
import { structs as parts } from '../src/reader/structs.js';
import { createFeed } from '../src/wasm/feed.js';
import { drive, engineOf } from '../src/wasm/engine.js';
import { moduleFor } from '../src/modules.js';
import { libcpb } from './support/libcpb.js';
import { noise, sparse } from './support/files.js';
import { assert, data, test } from './support/test.js';

const { CpbError, open } = libcpb;
const KiB = 1024;

setUpAllParts();

test('a trap poisons the instance for ever', async () => {
  const module = await moduleFor();
  const instance = await acquire(module);
  // A pointer beyond the memory.
  const trap = assert.throws(() => instance.c.cpb_index_step(0x7ffffff0), { code: 'TRAPPED' });
  assert.ok(trap instanceof CpbError && trap.cause);
  assert.throws(() => instance.c.malloc(8), { code: 'TRAPPED' });
  assert.throws(() => instance.scope((scope) => scope.alloc(8)), { code: 'TRAPPED' });
  assert.ok(!instance.reusable());
  release(module, instance);
  assert.ok((await acquire(module)) !== instance);
});

test('an instance is used again once all in it is freed, unless it is large', async () => {
  const module = await moduleFor();
  const instance = await acquire(module);
  const engine = engineOf(instance, 'cpb_index', instance.c.cpb_index_new(0, 0));
  assert.ok(!instance.reusable());
  engine.free();
  engine.free();
  assert.ok(instance.reusable());
  release(module, instance);
  assert.equal(await acquire(module), instance);
  instance.free(instance.alloc(64 * 2 ** 20));
  assert.ok(!instance.reusable());
});

test('memory beyond the limit', async () => {
  const instance = await createInstance(await moduleFor());
  instance.most = 8 * 2 ** 20;
  instance.checkMemory();
  instance.alloc(16 * 2 ** 20);
  assert.throws(() => instance.checkMemory(), { code: 'LIMIT' });
  assert.throws(() => instance.alloc(2 ** 32 - 10), { code: 'LIMIT' });
});

test('out of memory is an error and leaves the instance in use', async () => {
  const instance = await createInstance(await moduleFor());
  assert.throws(() => instance.alloc(2 ** 32 - 10), { code: 'MEMORY' });
  instance.free(instance.alloc(10));
});

test('structs are written and read, nested ones and texts too', async () => {
  const instance = await createInstance(await moduleFor());
  instance.scope((scope) => {
    const values = {
      size: 5,
      index: 2 ** 53 - 1,
      riegeli: {
        begin: 1,
        end: 2,
        data_size: 3,
        num_records: 4,
        decoded_data_size: 6,
        type: 114,
        codec: 0,
      },
    };
    assert.deepEqual(instance.get(parts.chunk_stored, scope.struct(parts.chunk_stored, values)), values);
    assert.equal(instance.text(scope.string('größer')), 'größer');
    assert.equal(instance.get(parts.limits, scope.struct(parts.limits)).struct_size, 152);
    assert.equal(instance.get(parts.record, scope.struct(parts.record, { size: 2n ** 64n - 1n })).size, Infinity);
  });
});

test('a view of the memory is never one of before it grew', async () => {
  const instance = await createInstance(await moduleFor());
  const pointer = instance.scope((scope) => scope.struct(parts.range, { offset: 7, length: 8 }));
  instance.alloc(32 * 2 ** 20);
  assert.equal(typeof instance.get(parts.range, pointer).length, 'number');
  assert.equal(instance.view(pointer, 16).length, 16);
});

test('thousands of opened files leave no memory behind', async () => {
  const bytes = await data('tests/data/cpb/real_keras_export/max3000_zstd.cpb');
  const module = await moduleFor();
  const size = async () => {
    const instance = await acquire(module);
    const top = instance.alloc(1);
    instance.free(top);
    release(module, instance);
    return top;
  };
  const use = async () => {
    const message = await open(bytes);
    await message.chunk(0).bytes();
    await (await message.field('meta_graphs[0]')).json({ omit: 10 });
    await assert.rejects(message.field('meta_graphs[9]'), { code: 'NOT_FOUND' });
    message.close();
  };
  for (let i = 0; i < 10; i++) await use();
  const before = await size();
  for (let i = 0; i < 200; i++) await use();
  assert.equal(await size(), before);
});

/* --- Feeds ------------------------------------------------------------------------ */

const content = noise(30 * 2 ** 20, 3);
const file = () => sparse(content.length, [{ offset: 0, bytes: content }]);

test('fetched ranges are kept, and none is fetched twice', async () => {
  const { source, log } = file();
  const feed = createFeed(source);
  await feed.measure(100);
  await feed.fetch(5000, 10, 500);
  assert.deepEqual(feed.at(5499)?.length, 1);
  assert.equal(feed.at(5500), undefined);
  await feed.fetch(4000, 2000, 0);
  assert.deepEqual(feed.at(4000), content.subarray(4000, 5000));
  await feed.fetch(content.length - 500, 500, 500);
  assert.deepEqual(log, ['tail 100', '5000+500', '4000+1000', `${content.length - 500}+400`]);
});

test('the end of the source is known from fewer bytes than asked for, or none', async () => {
  const feed = createFeed(file().source);
  await feed.fetch(content.length - 10, 100, 100);
  assert.equal(feed.size, content.length);
  const beyond = createFeed(file().source);
  await beyond.fetch(content.length + 10, 100, 100);
  assert.equal(beyond.size, content.length);
});

test('small needs are widened only as far as it is worth', async () => {
  const { source, log } = file();
  const feed = createFeed(source, {
    ahead: 64 * KiB,
    until: (offset) => (offset < 1000 ? 1000 : Infinity),
  });
  await feed.fetch(900, 5, 5);
  await feed.fetch(1000, 5, 5);
  const around = createFeed(source, {
    around: (offset) => (offset < 5000 ? { offset: 2000, length: 3000 } : undefined),
  });
  await around.fetch(3000, 5, 5);
  assert.equal(around.at(2000)?.length, 3000);
  await around.fetch(6000, 5, 5);
  assert.deepEqual(log, ['900+100', `1000+${128 * KiB}`, '2000+3000', '6000+5']);
});

test('short jumps are read over more and more, long ones are not', async () => {
  const { source, log } = file();
  const feed = createFeed(source, { ahead: 4 * KiB });
  const jumpTo = (/** @type {number} */ offset) => feed.fetch(offset, 5, 5);
  for (const offset of [0, 10 * KiB, 20 * KiB, 2 ** 20, 3 * 2 ** 20]) await jumpTo(offset);
  const k = (/** @type {number} */ n) => n * KiB;
  assert.deepEqual(log, [
    `0+${k(4)}`,
    `${k(10)}+${k(8)}`,
    `${k(20)}+${k(16)}`,
    `${k(1024)}+${k(4)}`,
    `${k(3072)}+${k(4)}`,
  ]);
});

test('long ranges come as a stream, which a small read elsewhere does not end', async () => {
  const { source, log, cost } = file();
  const feed = createFeed(source);
  await feed.fetch(0, 100, 20 * 2 ** 20);
  assert.ok(cost.bytes < 2 ** 20);
  await feed.fetch(25 * 2 ** 20, 100, 100);
  let at = 0;
  for (let bytes; at < 20 * 2 ** 20; at += bytes.length) {
    if (!feed.at(at)) await feed.fetch(at, 1, 20 * 2 ** 20 - at);
    bytes = /** @type {Uint8Array} */ (feed.at(at));
    assert.deepEqual(bytes.subarray(0, 10), content.subarray(at, at + 10));
  }
  assert.deepEqual(log, [`stream 0+${20 * 2 ** 20}`, `${25 * 2 ** 20}+100`]);
  assert.equal(cost.requests, 2);
});

test('a source that gives nothing is an error and no endless loop', async () => {
  const instance = await createInstance(await moduleFor());
  const engine = engineOf(instance, 'cpb_index', instance.c.cpb_index_new(0, 0));
  const source = { stat: async () => ({ size: 1000 }), read: async () => new Uint8Array(0) };
  await assert.rejects(drive(instance, engine, source), { code: 'READ' });
  engine.free();
});

test('an exception of a source becomes a CpbError with the code READ', async () => {
  const feed = createFeed({
    stat: async () => ({ size: 10 }),
    read: () => Promise.reject(new TypeError('oops')),
  });
  const error = await assert.rejects(feed.fetch(0, 5, 5), { code: 'READ', message: /oops/ });
  assert.ok(error.cause instanceof TypeError);
});

test('a NULL from a constructor is MEMORY and frees what it was given', async () => {
  const instance = await createInstance(await moduleFor());
  let freed = false;
  assert.throws(() => engineOf(instance, 'cpb_index', 0, () => (freed = true)), { code: 'MEMORY' });
  assert.ok(freed);
  assert.equal(instance.users, 0);
});
