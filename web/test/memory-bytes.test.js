/** What is asked for at once is copied once, from wherever it comes and however it is stored. */
// alone: it measures memory, which is collected later when others compute
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { growth, node } from './memory/hosts.js';
import { startServer } from './runtimes/server.js';
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { assert, base, each, test } from './support/test.js';

const { split } = libcpb;
const MiB = 2 ** 20;
const SIZE = (process.env.CPB_TEST_ALL ? 345 : 160) * MiB;
/** What a process takes beside them. */
const MORE = 69 * MiB;

const skip = !existsSync('/proc/self/clear_refs') && 'only Linux tells the peak of a process';

/** Half of it noise, which zstd leaves as it is. */
function content() {
  const bytes = new Uint8Array(SIZE);
  for (let at = 0, i = 0; at < SIZE; at += MiB) bytes.set(noise(MiB / 2, i++ % 3), at);
  return bytes;
}

test(`bytes() of a chunk of ${SIZE / MiB} MiB holds them once at the peak`, { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-bytes-'));
  const { pid, ask, stop } = await node();
  /** @type {(path: string) => any} */
  const serve = (path) => (/** @type {any} */ request, /** @type {any} */ response) => {
    const { size } = statSync(path);
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const begin = first ? Number(first) : Math.max(0, size - Number(last));
    const end = first && last ? Math.min(size, Number(last) + 1) : size;
    response.writeHead(206, {
      'Content-Length': end - begin,
      'Content-Range': `bytes ${begin}-${end - 1}/${size}`,
      ETag: '"1"',
    });
    createReadStream(path, { start: begin, end: end - 1 }).pipe(response);
  };
  const paths = { none: join(folder, 'none.cpb'), zstd: join(folder, 'zstd.cpb') };
  const server = await startServer({ handlers: { '/none.cpb': serve(paths.none), '/zstd.cpb': serve(paths.zstd) } });
  try {
    const { source } = largeModel(1, SIZE, content);
    await split(source, { codec: { name: 'none' } }).toFile(paths.none);
    await split(source, { codec: { name: 'zstd', level: 1 } }).toFile(paths.zstd);
    assert.ok(statSync(paths.zstd).size < 0.6 * SIZE);
    const inputs = [paths.none, `${server.base}/none.cpb`, paths.zstd, `${server.base}/zstd.cpb`];
    const cases = inputs.flatMap((input) => [
      /** @type {const} */ (['bytes', input]),
      /** @type {const} */ (['message', input]),
    ]);
    await ask('bytes', `${base}/tests/data/cpb/real_keras_export/max3000_zstd.cpb`, 1);
    await each(
      cases,
      ([what, input]) => `${what} of ${input}`,
      async ([what, input]) => {
        const [grown, read] = await growth(pid, () => ask(what, input, 1));
        console.log(
          `# ${what} of ${input.replace(/.*\//, '')}: + ${(grown / MiB).toFixed(0)} MiB, wasm ${read.wasm / MiB} MiB`,
        );
        assert.ok(read.bytes >= SIZE, `${read.bytes}`);
        assert.ok(grown <= read.bytes + MORE, `${grown} bytes`);
      },
    );
  } finally {
    await stop();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
