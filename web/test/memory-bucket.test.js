/** The Worker of the examples answers about a model that is larger than its memory. */
// alone: it measures memory, which is collected later when others compute
import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exampleWorker, growth } from './memory/hosts.js';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { startServer } from './runtimes/server.js';
import { field, head } from './support/files.js';
import { assert, test } from './support/test.js';

const MiB = 2 ** 20;
const NODES = 200;
const skip = !existsSync('/proc/self/clear_refs') && 'only Linux tells the peak of a process';

/** @param {number} number @param {number[]} begin @param {number} size that comes after it */
const wrap = (number, begin, size) => [...head(number, begin.length + size), ...begin];

/**
 * A real SavedModel, and a second graph of constants of 1 MiB that do not compress.
 *
 * @param {string} path
 */
function writeModel(path) {
  copyFileSync(`${root}tests/data/cpb/real_keras_export/orig.pb`, path);
  const node = (/** @type {number} */ i) => {
    const value = wrap(8, [...field(1, 1), ...head(4, MiB)], MiB);
    const entry = wrap(5, [...field(1, 'value'), ...wrap(2, value, MiB)], MiB);
    const name = [...field(1, `layer_${1000 + i}/kernel`), ...field(2, 'Const')];
    return wrap(1, [...name, ...entry], MiB);
  };
  const graph = NODES * (node(0).length + MiB);
  appendFileSync(path, Uint8Array.from(wrap(2, head(2, graph), graph)));
  for (let i = 0; i < NODES; i++) {
    appendFileSync(path, Uint8Array.from(node(i)));
    appendFileSync(path, randomFillSync(new Uint8Array(MiB)));
  }
}

const questions = {
  '': (/** @type {any} */ { size, chunks, signatures }) => {
    assert.ok(size > NODES * MiB && chunks.length > NODES);
    assert.deepEqual(signatures.serve.inputs, ['keras_tensor']);
  },
  'meta_graphs[0]': ({ value }) => assert.deepEqual(value.meta_info_def.tags, ['serve']),
  'meta_graphs[1].graph_def': ({ size, value }) => {
    assert.ok(size > NODES * MiB);
    assert.equal(value.node[NODES - 1].name, `layer_${1000 + NODES - 1}/kernel`);
  },
  'meta_graphs[1].graph_def.node[77]': ({ size, value }) => {
    assert.ok(size > MiB);
    assert.equal(value.name, 'layer_1077/kernel');
  },
};

test('worker/ answers about a model of 200 MiB in the memory of a Worker', { skip }, async () => {
  const folder = temporary();
  const [pb, cpb] = ['model.pb', 'model.cpb'].map((name) => join(folder.path, name));
  writeModel(pb);
  execFileSync(`${root}build/cpb`, ['split', '-q', pb, '-o', cpb]);
  rmSync(pb);
  const { createReadStream, statSync } = await import('node:fs');
  const server = await startServer({
    handlers: {
      '/model.cpb': (_, response) => {
        response.writeHead(200, { 'Content-Length': statSync(cpb).size });
        createReadStream(cpb).pipe(response);
      },
    },
  });
  const worker = await exampleWorker();
  /** @param {string} path */
  const ask = async (path) => /** @type {any} */ ((await worker.fetch(path)).json());
  try {
    const query = new URLSearchParams({ key: 'model.cpb', url: `${server.base}/model.cpb` });
    assert.equal(await (await worker.fetch(`-/put?${query}`)).text(), 'it is there');
    rmSync(cpb);
    const round = async () => {
      const answers = Object.entries(questions).map(async ([field, check]) => {
        const about = new URLSearchParams({ key: 'model.cpb', ...(field && { field }) });
        const answer = await ask(`?${about}`);
        assert.ok(!answer.error, answer.error);
        check(answer);
        return answer.transferred.bytes;
      });
      const bytes = await Promise.all(answers);
      return { bytes, wasm: await ask('-/wasm') };
    };
    let most = 0;
    const [grown] = await growth(worker.pid, async () => {
      for (let i = 0; i < 10; i++) {
        const work = round();
        const isolate = await worker.isolate.during(work);
        const { bytes, wasm } = await work;
        most = Math.max(most, isolate + wasm);
        console.log(`# isolate ${isolate / MiB} MiB, wasm ${wasm / MiB} MiB, read ${bytes}`);
      }
    });
    const figures = `isolate ${most / MiB} MiB, process + ${grown / MiB} MiB`;
    console.log(`# ${figures}`);
    assert.ok(most < 128 * MiB, figures);
    assert.ok(grown < 128 * MiB, figures);
  } finally {
    await worker.stop();
    server.close();
    folder.remove();
  }
});
