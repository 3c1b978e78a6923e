/** Files of Node, Deno and Bun. */
// runtimes: node, deno, bun
import { appendFile, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileSource } from '../src/source/file.js';
import { prepare } from '../src/source/index.js';
import { bytesAt } from './support/lies.js';
import { assert, test } from './support/test.js';

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
