/** Outputs to files of Node, Deno and Bun. */
// runtimes: node, deno, bun
import { createReadStream, createWriteStream, readFileSync, truncateSync } from 'node:fs';
import { mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { assert, each, runtime, test } from './support/test.js';

const { merge, repack, split } = libcpb;

/** @type {(act: (folder: string, message: Uint8Array) => Promise<void>) => () => Promise<void>} */
const inFolder = (act) => async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-'));
  const { source } = largeModel(4, 300_000, (i) => noise(300_000, i));
  try {
    await act(folder, await source.read(0, (await source.stat()).size));
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** @param {string} path */
const bytesOf = async (path) => new Uint8Array(await readFile(path));

test(
  'a file gets its name when it is whole, and replaces what was there',
  inFolder(async (folder, message) => {
    const path = join(folder, 'a model.cpb');
    await writeFile(path, 'old');
    /** @type {string[]} */
    const during = [];
    const onProgress = () => void during.push(readFileSync(path, 'utf8')); // at once: later the file has its name
    const result = await split(message, { codec: { name: 'none' } }).toFile(path, { onProgress });
    assert.deepEqual([...new Set(during)], ['old']);
    const written = await bytesOf(path);
    assert.deepEqual(written, await split(message, { codec: { name: 'none' } }).bytes());
    assert.deepEqual(result, { chunks: 5, size: written.length, isSplit: true });
    assert.deepEqual(await readdir(folder), ['a model.cpb']);

    await repack(path, { layout: 'compat' }).toFile(pathToFileURL(path));
    assert.deepEqual(await bytesOf(path), await repack(written, { layout: 'compat' }).bytes());
    await merge(path).toFile(join(folder, 'model.pb'));
    assert.deepEqual(await bytesOf(join(folder, 'model.pb')), message);
  }),
);

test(
  'a chunk larger than the buffer is patched in the file',
  inFolder(async (folder) => {
    const { source } = largeModel(1, 17 * 2 ** 20, (i) => noise(17 * 2 ** 20, i));
    const path = join(folder, 'large.cpb');
    const options = { codec: { name: 'zstd', level: 1 } };
    await split(source, options).toFile(path);
    assert.deepEqual(await bytesOf(path), await split(source, options).bytes());
  }),
);

test(
  'an error or a signal leaves no file, and what was there',
  inFolder(async (folder, message) => {
    const path = join(folder, 'model.cpb');
    const file = await split(message).bytes();
    const damaged = file.slice();
    damaged.fill(0, 400_000, 400_010);
    await assert.rejects(merge(damaged).toFile(path), { code: 'DAMAGED' });
    assert.deepEqual(await readdir(folder), []);

    await writeFile(path, 'old');
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = () => controller.abort(reason);
    const { signal } = controller;
    assert.equal(await assert.rejects(split(message).toFile(path, { signal, onProgress })), reason);
    assert.deepEqual(await readdir(folder), ['model.cpb']);
    assert.equal(await readFile(path, 'utf8'), 'old');

    const nowhere = join(folder, 'none', 'model.cpb');
    await assert.rejects(split(message).toFile(nowhere), { code: 'WRITE', message: /ENOENT/ });
    await assert.rejects(split(message).toFile(folder), { code: 'WRITE' });
    assert.deepEqual(await readdir(folder), ['model.cpb']);
  }),
);

test(
  'a Writable of Node gets what a file gets, no faster than it takes it',
  inFolder(async (folder, message) => {
    const wanted = await split(message).bytes();
    const path = join(folder, 'streamed');
    await split(message).to(createWriteStream(path));
    assert.deepEqual(await bytesOf(path), wanted);
    /** @type {Uint8Array[]} */
    const taken = [];
    let waiting = 0;
    const slow = new Writable({
      highWaterMark: 1,
      write(bytes, _, done) {
        assert.equal(waiting++, 0);
        taken.push(bytes);
        setTimeout(() => (waiting--, done()), 1);
      },
    });
    await split(message).to(slow);
    assert.deepEqual(new Uint8Array(Buffer.concat(taken)), wanted);
    assert.ok(slow.writableFinished);
  }),
);

test(
  'what a Writable of Node says is a CpbError, and an abort destroys it',
  inFolder(async (folder, message) => {
    await assert.rejects(split(message).to(createWriteStream(join(folder, 'no', 'such'))), {
      name: 'CpbError',
      code: 'WRITE',
      message: /ENOENT/,
    });
    const cause = new Error('full');
    const full = new Writable({ write: (_bytes, _, done) => done(cause) });
    await assert.rejects(split(message).to(full), { name: 'CpbError', code: 'WRITE', cause });
    const closed = new Writable({ write: () => void closed.destroy() });
    await assert.rejects(split(message).to(closed), { name: 'CpbError', code: 'WRITE' });
    const controller = new AbortController();
    const hanging = new Writable({ write: () => controller.abort(new Error('enough')) });
    await assert.rejects(split(message).to(hanging, { signal: controller.signal }), { message: 'enough' });
    assert.ok(hanging.destroyed);
  }),
);

test(
  'a FileHandle is written at any offset, and stays open',
  inFolder(async (folder, message) => {
    const path = join(folder, 'opened');
    await writeFile(path, new Uint8Array(5_000_000).fill(7));
    const handle = await open(path, 'r+');
    const result = await split(message).to(handle);
    assert.equal((await handle.stat()).size, result.size);
    await handle.close();
    assert.deepEqual(await bytesOf(path), await split(message).bytes());
  }),
);

/** What is read from a file and written to one without waiting. @type {Record<string, (input: any) => any>} */
const calls = {
  merge,
  repack: (input) => repack(input, { codec: { name: 'zstd', level: 1 } }),
  split: (input) => split(input, { layout: 'compat', codec: { name: 'none' }, maxChunkSize: 100_000 }),
};

test(
  'from file to file is the same as from bytes to bytes',
  inFolder(async (folder, message) => {
    const chunks = await split(message).bytes();
    const out = join(folder, 'out');
    await each(
      Object.entries(calls),
      ([name]) => name,
      async ([name, call]) => {
        const bytes = name === 'split' ? message : chunks;
        const path = join(folder, `${name}.in`);
        await writeFile(path, bytes);
        const wanted = await call(bytes).bytes();
        /** @type {{ done: number, total: number }[]} */
        const progress = [];
        await call(path).toFile(out, { onProgress: (/** @type {any} */ p) => progress.push(p) });
        assert.deepEqual(await bytesOf(out), wanted);
        assert.equal(progress.at(-1)?.done, progress.at(-1)?.total);
        const [from, to] = [await open(path), await open(out, 'r+')];
        await call(from).to(to);
        await Promise.all([from.close(), to.close()]);
        assert.deepEqual(await bytesOf(out), wanted);
        await writeFile(path, Buffer.concat([Buffer.alloc(10), bytes, Buffer.alloc(10)]));
        await call(createReadStream(path, { start: 10, end: bytes.length + 9 })).toFile(out);
        assert.deepEqual(await bytesOf(out), wanted);
      },
    );
  }),
);

test(
  'from file to file: what fails is named, of the input and of the output',
  inFolder(async (folder) => {
    const { source } = largeModel(40, 1_000_000, (i) => noise(1_000_000, i));
    const path = join(folder, 'chunks.cpb');
    await split(source).toFile(path);
    const to = await open(join(folder, 'out'), 'w+');
    const onProgress = () => void to.close();
    await assert.rejects(merge(path).to(to, { onProgress }), { name: 'CpbError', code: 'WRITE' });
    const shorter = () => truncateSync(path, 10_000_000);
    await assert.rejects(merge(path).toFile(join(folder, 'out'), { onProgress: shorter }), { code: 'CHANGED' });
  }),
);

test(
  'from file to file nothing is held but in the module',
  { skip: runtime !== 'node' && 'Node says what arrays take' },
  inFolder(async (folder) => {
    const { source } = largeModel(40, 1_000_000, (i) => noise(1_000_000, i));
    const path = join(folder, 'chunks.cpb');
    await split(source).toFile(path);
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const onProgress = () => (most = Math.max(most, process.memoryUsage().arrayBuffers - before));
    await merge(path).toFile(join(folder, 'out'), { onProgress });
    assert.ok(most < 1.5e6, `${most} bytes of 40 MB`);
  }),
);
