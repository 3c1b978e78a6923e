/** split, repack and merge on every runtime; writer-native.test.js has the exact bytes. */
// runtimes by default: node, bun, firefox
import { assert, each, runtime, test } from './support/test.js';
import { field, largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';

const { bytesSource, merge, open, repack, split } = libcpb;

const SIZE = 200_000;

/** @param {Uint8Array} bytes */
const streamed = (bytes) => new Blob([bytes.slice()]).stream();

/** A SavedModel of a few constants that do not compress. */
async function model(nodes = 5, size = SIZE) {
  const { source } = largeModel(nodes, size, (i) => noise(size, i + 1));
  return source.read(0, (await source.stat()).size);
}

/** A sink in memory that is written at any offset; what it was told is in `log`. */
function memory() {
  const self = {
    bytes: new Uint8Array(0),
    /** @type {any[]} */
    log: [],
    backwards: 0,
    most: 0,
    /** @param {number} offset @param {Uint8Array} more */
    async write(offset, more) {
      if (offset < self.bytes.length) self.backwards++;
      const bytes = new Uint8Array(Math.max(self.bytes.length, offset + more.length));
      bytes.set(self.bytes);
      bytes.set(more, offset);
      self.bytes = bytes;
      self.most = Math.max(self.most, more.length);
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    close: () => void self.log.push('close'),
    abort: (/** @type {any} */ reason) => void self.log.push('abort', reason),
  };
  return self;
}

/** A file that a worker opened, of the origin private file system, as far as it is used; it had bytes. */
function syncHandle() {
  const self = {
    bytes: new Uint8Array(5_000_000),
    getSize: () => self.bytes.length,
    /** @param {Uint8Array} more @param {{ at: number }} where */
    write(more, { at }) {
      const some = more.subarray(0, 50_000);
      self.bytes.set(some, at);
      return some.length;
    },
    truncate: (/** @type {number} */ size) => void (self.bytes = self.bytes.slice(0, size)),
    flush() {},
  };
  return self;
}

/** How repack can store chunks; @type {object[]} */
const stored = [
  {},
  { layout: 'compat' },
  { codec: { name: 'zstd', level: 1 } },
  { codec: { name: 'brotli', level: 0, windowLog: 18 } },
  { codec: { name: 'snappy' }, transpose: true },
  { layout: 'compat', transpose: true },
];

/** And split, beside that; @type {object[]} */
const ways = [
  ...stored,
  { codec: { name: 'none' } },
  { codec: { name: 'zstd', level: 1 }, maxChunkSize: 50_000 },
  { inlineMax: SIZE + 1 },
];

test('a message that is split and repacked merges to the same bytes', async () => {
  const message = await model();
  await each(ways, JSON.stringify, async (options) => {
    const file = await split(message, options).bytes();
    assert.deepEqual(await merge(file).bytes(), message, 'merged');
    await each(stored, JSON.stringify, async (other) => {
      const again = await repack(file, other).bytes();
      assert.deepEqual(await merge(again).bytes(), message, 'repacked');
    });
  });
});

test('options do what they say', async () => {
  const message = await model();
  const version = { splitter: 7, join: 0, badConsumers: [3, -1, 5] };
  const output = split(message, { version, maxChunkSize: 500_000 });
  const file = await output.bytes();
  assert.deepEqual(output.result, { chunks: 6, size: file.length, isSplit: true });
  const opened = await open(file);
  assert.deepEqual(opened.version, version);
  assert.equal(opened.numChunks, 6);
  opened.close();
  const newer = await split(message, { version: { join: 2 } }).bytes();
  await assert.rejects(open(newer), { code: 'UNSUPPORTED' });

  const whole = split(message, { inlineMax: 2 ** 22, maxChunkSize: 2 ** 22 });
  await whole.bytes();
  assert.deepEqual([whole.result.chunks, whole.result.isSplit], [1, false]);

  const merged = merge(file);
  const { length } = await merged.bytes();
  assert.deepEqual(merged.result, { chunks: 6, size: length, isSplit: true });
  const packed = repack(file, { codec: { name: 'brotli', level: 1 } });
  const { length: size } = await packed.bytes();
  assert.deepEqual(packed.result, { chunks: 6, size, isSplit: true });
});

test('every destination gets the same bytes', async () => {
  const message = await model();
  const file = await split(message).bytes();
  for (const [name, make] of Object.entries({
    split: () => split(message),
    repack: () => repack(file, { layout: 'compat' }),
    merge: () => merge(file),
  })) {
    const bytes = await make().bytes();
    assert.deepEqual(await collect(make().stream()), bytes, `${name}: stream`);
    const blob = await make().blob();
    assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes, `${name}: blob`);

    const sink = memory();
    const result = await make().to(sink);
    assert.deepEqual(sink.bytes, bytes, `${name}: sink`);
    assert.deepEqual(sink.log, ['close'], name);
    assert.equal(result.size, bytes.length, name);

    const opened = syncHandle();
    await make().to(opened);
    assert.deepEqual(opened.bytes, bytes, `${name}: FileSystemSyncAccessHandle`);

    const { readable, writable } = new TransformStream();
    const [through] = await Promise.all([collect(readable), make().to(writable)]);
    assert.deepEqual(through, bytes, `${name}: WritableStream`);
  }
});

test('a chunk larger than the buffer is patched where the destination is seekable', async () => {
  const message = await model(1, 17 * 2 ** 20);
  for (const options of [{ codec: { name: 'zstd' } }, { codec: { name: 'none' } }]) {
    const sink = memory();
    await split(message, options).to(sink);
    assert.deepEqual(sink.bytes, await split(message, options).bytes());
    assert.ok(sink.backwards > 0 || options.codec.name === 'none', 'nothing was patched');
    const few = { ...options, memory: 2 ** 20 };
    const error = await assert.rejects(split(message, few).bytes(), { code: 'LIMIT' });
    assert.match(error.message, /write to a file or a sink, or raise the option memory/);
    await assert.rejects(split(message, few).to(new WritableStream()), { code: 'LIMIT' });
  }
});

test('a stream is an input, up to a limit', async () => {
  const message = await model();
  const file = await split(streamed(message)).bytes();
  assert.deepEqual(file, await split(message).bytes());
  assert.deepEqual(await merge(streamed(file)).bytes(), message);
  const error = await assert.rejects(split(streamed(message), { memory: 100_000 }).bytes(), {
    code: 'LIMIT',
  });
  assert.match(error.message, /100000 bytes.*raise the option memory/);
  /** @type {any} */
  let cancelled;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: (reason) => void (cancelled = reason),
  });
  await assert.rejects(split(endless, { memory: 200_000 }).bytes(), { code: 'LIMIT' });
  assert.equal(cancelled.code, 'LIMIT');
});

test('a message of any type, by its schema', async () => {
  // message M { bytes b = 1; string s = 2; } of package t
  const declare = (/** @type {string} */ name, /** @type {number} */ n, /** @type {number} */ type) =>
    field(2, [...field(1, name), ...field(3, n), ...field(4, 1), ...field(5, type)]);
  const type = [...field(1, 'M'), ...declare('b', 1, 12), ...declare('s', 2, 9)];
  const proto = [...field(1, 't.proto'), ...field(2, 't'), ...field(4, type), ...field(12, 'proto3')];
  const schema = Uint8Array.from(field(1, proto));
  const content = noise(100_000, 9);
  const message = Uint8Array.from([...field(1, content), ...field(2, 'short')]);
  const options = { type: 't.M', schema, maxChunkSize: 50_000 };
  const file = await split(message, options).bytes();
  const opened = await open(file, { type: 't.M', schema });
  assert.equal(opened.numChunks, 2);
  assert.deepEqual(await (await opened.field('b')).bytes(), content);
  opened.close();
  assert.deepEqual(await merge(file, { type: 't.M', schema }).bytes(), message);
  await assert.rejects(split(message, { ...options, type: 't.N' }).bytes(), { code: 'USAGE' });
});

test('an output is made when it is asked for, as fast as it is taken, and once', async () => {
  const { source, log } = largeModel(20, 2 ** 20, (i) => noise(2 ** 20, i));
  const output = split({ ...source, remote: false });
  const stream = output.stream();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(log, []);
  const reader = stream.getReader();
  const { value } = await reader.read();
  assert.ok(value.length >= 65_536, `${value.length} bytes`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = log.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(log.length, before, 'reads although nobody takes');
  assert.throws(() => output.stream(), { code: 'USAGE' });
  await assert.rejects(output.bytes(), { code: 'USAGE' });
  await reader.cancel();
  assert.equal(output.result, undefined);
});

test('output comes in pieces of 64 KiB or more, and progress reaches the end', async () => {
  const message = await model(40, 30_000);
  const file = await split(message, { inlineMax: 10_000 }).bytes();
  for (const make of [
    () => split(message, { inlineMax: 10_000 }),
    () => repack(file, { codec: { name: 'none' } }),
    () => merge(file),
  ]) {
    /** @type {{ done: number, total: number }[]} */
    const progress = [];
    const sizes = [];
    const reader = make()
      .stream({ onProgress: (/** @type {any} */ p) => p.of === 'message' && progress.push(p) })
      .getReader();
    for (let next; !(next = await reader.read()).done;) sizes.push(next.value.length);
    assert.ok(
      sizes.slice(0, -1).every((size) => size >= 65_536),
      `${sizes}`,
    );
    assert.equal(progress.at(-1)?.done, progress.at(-1)?.total);
    assert.ok(Number(progress.at(-1)?.total) > 1_000_000);
    assert.ok(
      progress.every(({ done }, i) => done >= (progress[i - 1]?.done ?? 0)),
      'backwards',
    );
  }
});

test('a signal ends it with its reason, and the destination is aborted', async () => {
  const message = await model();
  const file = await split(message).bytes();
  for (const make of [() => split(message), () => repack(file), () => merge(file)]) {
    const reason = new Error('enough');
    const sink = memory();
    await assert.rejects(make().to(sink, { signal: AbortSignal.abort(reason) }), /enough/);
    assert.deepEqual([sink.log, sink.bytes.length], [['abort', reason], 0]);

    const controller = new AbortController();
    const slow = { ...memory(), write: () => new Promise(() => controller.abort(reason)) };
    const error = await assert.rejects(make().to(slow, { signal: controller.signal }));
    assert.equal(error, reason);
    assert.deepEqual(slow.log, ['abort', reason]);

    const other = new AbortController();
    const reader = make().stream({ signal: other.signal }).getReader();
    await reader.read();
    other.abort(reason);
    assert.equal(await assert.rejects(reader.read()), reason);
  }
});

test('a read that hangs is left when the signal says so', async () => {
  const controller = new AbortController();
  const source = {
    stat: async () => ({ size: 1000 }),
    read: () => new Promise(() => setTimeout(() => controller.abort(new Error('late')), 5)),
  };
  const sink = memory();
  await assert.rejects(split(source).to(sink, { signal: controller.signal }), /late/);
  assert.equal(sink.log[0], 'abort');
});

test('errors of the input, the engine and the destination, with what the destination threw as their cause', async () => {
  const message = await model();
  const sink = memory();
  await assert.rejects(repack(message).to(sink), { code: 'FORMAT' });
  await assert.rejects(merge(message).bytes(), { code: 'FORMAT' });
  assert.equal(sink.log[1].code, 'FORMAT');
  const cut = message.subarray(0, -1);
  await assert.rejects(split(cut).bytes(), { name: 'CpbError' });

  const full = new Error('disk full');
  const bad = { ...memory(), write: () => Promise.reject(full) };
  const { code, cause, message: said } = await assert.rejects(split(message).to(bad));
  assert.deepEqual([code, cause, said], ['WRITE', full, 'the destination: disk full']);
  assert.deepEqual([bad.log[0], bad.log[1].cause], ['abort', full]);
  const thrown = {
    ...memory(),
    write() {
      throw full;
    },
  };
  assert.equal((await assert.rejects(split(message).to(thrown))).cause, full);
  const stuck = { ...memory(), close: () => Promise.reject(full) };
  assert.equal((await assert.rejects(split(message).to(stuck))).cause, full);
  assert.deepEqual([stuck.log[0], stuck.log[1].cause], ['abort', full]);
  const broken = new WritableStream({ write: () => Promise.reject(full) });
  assert.equal((await assert.rejects(split(message).to(broken))).cause, full);
  const inProgress = split(message).bytes({
    onProgress() {
      throw full;
    },
  });
  assert.equal(await assert.rejects(inProgress), full);

  /** @type {any} */
  let aborted;
  const writable = new WritableStream({ abort: (reason) => void (aborted = reason) });
  await assert.rejects(repack(message).to(writable), { code: 'FORMAT' });
  assert.equal(aborted.code, 'FORMAT');
});

test('the source is closed, however it ends', async () => {
  const message = await model();
  const closing = () => {
    const self = { ...bytesSource(message), closed: 0, close: () => void self.closed++ };
    return self;
  };
  const one = closing();
  await split(one).bytes();
  assert.equal(one.closed, 1);
  const two = closing();
  await assert.rejects(repack(two).bytes());
  assert.equal(two.closed, 1);
  const three = closing();
  const reader = split(three).stream().getReader();
  await reader.read();
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(three.closed, 1);
  const four = closing();
  await assert.rejects(split(four, { limits: { memory: 1e6 } }).bytes(), { code: 'LIMIT' });
  assert.equal(four.closed, 1, 'when the instance is dropped');
});

test('wrong options are told', async () => {
  const message = await model(1);
  const wrong = [
    { layout: 'other' },
    { codec: { name: 'lz4' } },
    { codec: { name: 'zstd', level: 99 } },
    { maxChunkSize: -1 },
    { inlineMax: 1.5 },
    { memory: Number.NaN },
    { type: 'no.Such' },
  ];
  await each(wrong, JSON.stringify, (options) => assert.rejects(split(message, options).bytes(), { code: 'USAGE' }));
  await assert.rejects(split(message).to({}), { code: 'USAGE' });
  await assert.rejects(split({}).bytes(), { code: 'USAGE' });
});

const opfs = globalThis.navigator?.storage?.getDirectory;

test('a file of the origin private file system', { skip: !opfs && `there is none on ${runtime}` }, async () => {
  const folder = await navigator.storage.getDirectory();
  const handle = await folder.getFileHandle('written.cpb', { create: true });
  if (!('createWritable' in handle)) return;
  const message = await model(1, 17 * 2 ** 20);
  const codec = { name: 'zstd' };
  const expected = await split(message, { codec }).bytes();
  await split(message, { codec }).to(handle);
  assert.deepEqual(new Uint8Array(await (await handle.getFile()).arrayBuffer()), expected);
  await split(message, { codec }).to(await handle.createWritable());
  const file = await handle.getFile();
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), expected);
  assert.deepEqual(await merge(file).bytes(), message);
  await assert.rejects(repack(message).to(handle), { code: 'FORMAT' });
  assert.equal((await handle.getFile()).size, expected.length, 'it was changed');
  await folder.removeEntry('written.cpb');
});
