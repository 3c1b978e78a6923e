/** Files of Node, Deno and Bun. */
// runtimes: node, deno, bun
import { once } from 'node:events';
import { createReadStream, openSync } from 'node:fs';
import { appendFile, mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { setUpAllParts } from '../src/all-parts.js';
import { fileInput, fileSource } from '../src/source/file.js';
import { prepare } from '../src/source/index.js';
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { bytesAt } from './support/lies.js';
import { assert, test } from './support/test.js';

setUpAllParts(fileInput);

const SIZE = 2_500_000;

/** @type {(act: (path: string) => Promise<void>) => () => Promise<void>} */
const withFile = (act) => async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-'));
  try {
    const path = join(folder, 'a model.cpb');
    await writeFile(path, bytesAt(0, SIZE));
    await act(path);
  } finally {
    await rm(folder, { recursive: true });
  }
};

test(
  'a file is read by position, by path and by URL',
  withFile(async (path) => {
    for (const input of [path, pathToFileURL(path), String(pathToFileURL(path))]) {
      const source = prepare(fileSource(input));
      assert.equal((await source.stat()).size, SIZE);
      assert.deepEqual(await source.read(1000, 10), bytesAt(1000, 1010));
      assert.deepEqual((await source.tail(10)).bytes, bytesAt(SIZE - 10, SIZE));
      assert.deepEqual(await source.read(SIZE - 3, 10), bytesAt(SIZE - 3, SIZE));
      const many = await Promise.all(Array.from({ length: 50 }, (_, i) => source.read(i * 1000, 500)));
      many.forEach((bytes, i) => assert.deepEqual(bytes, bytesAt(i * 1000, i * 1000 + 500)));
      const whole = new Uint8Array(await new Response(source.stream(0, SIZE)).arrayBuffer());
      assert.deepEqual(whole, bytesAt(0, SIZE));
      await source.close();
    }
  }),
);

test(
  'a string that is no URL is a path where there are any',
  withFile(async (path) => {
    const source = prepare(path, {}, fileSource);
    assert.deepEqual(await source.read(5, 10), bytesAt(5, 15));
    await source.close();
  }),
);

test(
  'a file that changes is noticed, and can be read anew',
  withFile(async (path) => {
    const source = prepare(fileSource(path));
    const { etag } = await source.stat();
    await appendFile(path, 'more');
    await assert.rejects(source.read(0, 10), { code: 'CHANGED' });
    source.reset();
    assert.equal((await source.stat()).size, SIZE + 4);
    await utimes(path, 1, 1);
    await assert.rejects(source.read(0, 10), { code: 'CHANGED' });
    source.reset();
    assert.ok((await source.stat()).etag !== etag);
    await source.close();
  }),
);

test(
  'what is no file is a READ error',
  withFile(async (path) => {
    await assert.rejects(prepare(fileSource(`${path}x`)).stat(), { code: 'READ', message: /ENOENT/ });
    await assert.rejects(prepare(fileSource(join(path, '..'))).stat(), { code: 'READ' });
  }),
);

test(
  'a FileHandle is read by ranges, and stays open',
  withFile(async (path) => {
    const handle = await open(path);
    try {
      const source = fileInput(handle);
      assert.equal((await source.stat()).size, SIZE);
      assert.deepEqual(await source.read(1000, 10), bytesAt(1000, 1010));
      await source.close?.();
      assert.deepEqual(await fileInput(handle).read(5, 5), bytesAt(5, 10));
      const folder = await open('/');
      await assert.rejects(fileInput(folder).read(0, 1), { code: 'READ', message: /not a regular file/ });
      await folder.close();
    } finally {
      await handle.close();
    }
  }),
);

/** One of a few bytes of memory: the file is not held, as it is read by ranges. */
test(
  'a stream of a file that was not begun is read by ranges, another is held',
  withFile(async (path) => {
    const source = fileInput(createReadStream(path), 10);
    assert.equal((await source.stat()).size, SIZE);
    assert.deepEqual(await source.read(SIZE - 3, 10), bytesAt(SIZE - 3, SIZE));
    await source.close?.();
    const part = fileInput(createReadStream(path, { start: 100, end: 299 }), 10);
    assert.equal((await part.stat()).size, 200);
    assert.deepEqual(await part.read(190, 50), bytesAt(290, 300));
    assert.deepEqual(await part.read(0, 5), bytesAt(100, 105));
    await part.close?.();
    const begun = createReadStream(path);
    await once(begun, 'readable');
    begun.read(10);
    assert.equal((await fileInput(begun, SIZE).stat()).size, SIZE - 10);
    const fd = openSync(path, 'r');
    assert.equal((await fileInput(createReadStream('', { fd }), SIZE).stat()).size, SIZE);
    const limited = fileInput(Readable.from([new Uint8Array(20)]), 10);
    await assert.rejects(limited.stat(), { code: 'LIMIT' });
    const missing = fileInput(createReadStream(`${path}.not`), SIZE);
    await assert.rejects(missing.stat(), { name: 'CpbError', code: 'READ', message: /ENOENT/ });
  }),
);

test(
  'many readings with one signal warn of nothing',
  withFile(async (path) => {
    /** @type {string[]} */
    const warnings = [];
    const note = (/** @type {Error} */ { message }) => warnings.push(message);
    process.on('warning', note);
    const { signal } = new AbortController();
    const source = prepare(fileSource(path));
    await Promise.all(Array.from({ length: 50 }, (_, i) => source.read(i * 1000, 500, { signal })));
    await new Promise((done) => setImmediate(done));
    process.off('warning', note);
    assert.deepEqual(warnings, []);
    await source.close();
  }),
);

test(
  'a field of a model with many large chunks takes few reads, none of them of the chunks beside it',
  withFile(async (path) => {
    const { source } = largeModel(30, 100_000, (i) => noise(100_000, i));
    await libcpb.split(source, { inlineMax: 50_000 }).toFile(path);
    const model = await libcpb.open(path);
    assert.ok(model.numChunks > 30);
    const name = await model.field('meta_graphs[0].graph_def.node[20].name');
    assert.ok((await name.bytes()).length > 0);
    const { requests, bytes } = model.transferred;
    model.close();
    assert.ok(requests <= 8, `${requests} reads`);
    assert.ok(bytes < 300_000, `${bytes} bytes of 3 MB`);
  }),
);
