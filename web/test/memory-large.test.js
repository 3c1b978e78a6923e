/** A file of 2 GiB in an isolate of 128 MiB: its end, or with CPB_TEST_ALL all of it. */
// alone: it measures memory, which is collected later when others compute
import { existsSync } from 'node:fs';
import { growth, node, workerd } from './memory/hosts.js';
import { contentOf, largeFile } from './memory/large.js';
import { startServer } from './runtimes/server.js';
import { assert, base, test } from './support/test.js';

const MiB = 2 ** 20;
const ISOLATE = 128 * MiB;
const CHUNKS = 512;
const SOME = 40;
const MOST = process.env.CPB_TEST_ALL ? 2 ** 40 : 3 * ISOLATE;

const skip = !existsSync('/proc/self/clear_refs') && 'only Linux tells the peak of a process';

/** The most that the whole process may grow by, which is not all the isolate's. */
const hosts = { node: { start: node, most: ISOLATE }, workerd: { start: workerd, most: 2 * ISOLATE } };

const shown = (/** @type {number} */ bytes) => `${(bytes / MiB).toFixed(1)} MiB`;

for (const [name, { start, most }] of Object.entries(hosts)) {
  test(`${name}: a file of 2 GiB is streamed through in 128 MiB`, { skip }, async () => {
    const file = await largeFile(CHUNKS + 1);
    const server = await startServer({ handlers: { '/large.cpb': file.answer } });
    const { pid, ask, stop } = await start();

    /** @param {string} what @param {number} [count] */
    async function measured(what, count = SOME) {
      const [grown, read] = await growth(pid, () => ask(what, `${server.base}/large.cpb`, count));
      const { isolate, wasm } = read;
      const figures = `isolate ${shown(isolate)}, wasm ${shown(wasm)}, process + ${shown(grown)}`;
      console.log(`# ${name}, ${what}: ${figures}`);
      assert.ok(isolate + wasm < ISOLATE, figures);
      assert.ok(wasm <= 4 * MiB, figures);
      assert.ok(grown < most, figures);
      return read;
    }

    try {
      await ask('merged', `${base}/tests/data/cpb/real_keras_export/max3000_zstd.cpb`);
      const { size, bytes, begins } = await measured('chunks');
      assert.equal(size, file.size);
      assert.equal(bytes, SOME * file.chunkSize);
      for (let i = 0; i < SOME; i++) assert.deepEqual(begins[i], [...contentOf(i, 16)], `${i}`);
      if (name === 'node' && !process.env.CPB_TEST_ALL) return; // as in workerd, where the isolate is real
      const all = await measured('merged', MOST);
      assert.equal(all.bytes, Math.min(all.size, MOST));
      assert.ok(file.size > 2 ** 31 && all.size > CHUNKS * file.chunkSize);
    } finally {
      await stop();
      server.close();
    }
  });
}
