/** Processes that read, and how much memory the system gave them. */
import { fork } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { root } from '../runtimes/files.js';

/**
 * @typedef {object} Host
 * @property {number} pid
 * @property {(what: string, url: string, count?: number) => Promise<any>} ask answers with
 *   what work.js does and `isolate`, the most bytes that were in the isolate meanwhile, without
 *   WebAssembly's
 * @property {() => unknown} stop
 */

/** The heap that a process of Node may have, in MiB; arrays and WebAssembly come on top. */
const HEAP = 64;

/** @returns {Promise<Host>} */
export async function node() {
  const child = fork(new URL('process.js', import.meta.url), {
    execArgv: [`--max-old-space-size=${HEAP}`, '--expose-gc'],
  });
  return {
    pid: Number(child.pid),
    ask: (what, url, count = 0) =>
      new Promise((resolve, reject) => {
        const ended = (/** @type {number} */ code) => reject(new Error(`it ended with ${code}`));
        child.once('exit', ended);
        child.once('message', (answer) => {
          child.off('exit', ended);
          resolve(checked(answer));
        });
        child.send({ what, url, count });
      }),
    stop: () => child.kill('SIGKILL'),
  };
}

/** @param {any} answer */
function checked(answer) {
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** All modules below a folder that a Worker may have. @type {(folder: string) => string[]} */
const list = (folder) =>
  readdirSync(root + folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.js') && !/node|process\.js|hosts\.js/.test(path.slice(3)));

/** The package and what is given, as modules of a Worker. @param {string[]} paths the entry first */
const modules = (paths) =>
  [...paths, ...list('web/src'), 'web/src/wasm/dictionary.wasm', 'web/src/wasm/reader.wasm'].map((path) => ({
    type: path.endsWith('.js') ? 'ESModule' : 'CompiledWasm',
    path: root + path,
    contents: readFileSync(root + path),
  }));

/**
 * A Worker in a process of its own.
 *
 * @param {object[]} modules
 * @param {object} [options] of Miniflare
 */
async function startWorker(modules, options) {
  const { Log, LogLevel, Miniflare } = await import('miniflare');
  const before = children();
  const worker = new Miniflare({
    modulesRoot: root,
    modules: /** @type {any} */ (modules),
    compatibilityDate: '2026-04-01',
    inspectorPort: 0,
    log: new Log(LogLevel.NONE),
    ...options,
  });
  await worker.ready;
  const isolate = await inspector(await worker.getInspectorURL());
  const pid = children().find((pid) => !before.includes(pid) && nameOf(pid) === 'workerd');
  if (!pid) throw new Error('there is no workerd');
  return {
    pid,
    isolate,
    /** @param {string} path @param {object} [init] */
    fetch: (path, init) => worker.dispatchFetch(`http://worker/${path}`, init),
    async stop() {
      isolate.close();
      await worker.dispose();
    },
  };
}

/** @returns {Promise<Host>} */
export async function workerd() {
  const worker = await startWorker(
    modules([
      'web/test/memory/worker.js',
      'web/test/memory/instances.js',
      'web/test/memory/work.js',
      'web/src/wasm/full.wasm',
      'web/src/wasm/inspect.wasm',
      'web/src/wasm/models.wasm',
      'web/src/wasm/json.wasm',
      ...list('web/test/support'),
    ]),
  );
  return {
    pid: worker.pid,
    async ask(what, url, count = 0) {
      const body = JSON.stringify({ what, url, count });
      const response = worker.fetch('', { method: 'POST', body });
      const most = await worker.isolate.during(response);
      return checked({ .../** @type {object} */ (await (await response).json()), isolate: most });
    },
    stop: worker.stop,
  };
}

/** The Worker of the examples, with a bucket; bucket.js says what can be asked. */
export function exampleWorker() {
  const entry = ['web/test/memory/bucket.js', 'web/test/memory/instances.js'];
  const name = {
    type: 'ESModule',
    path: `${root}web/examples/worker/libcpb`,
    contents: "export * from '../../src/workerd.js';",
  };
  return startWorker([...modules([...entry, 'web/examples/worker/worker.js']), name], {
    r2Buckets: ['MODELS'],
  });
}

/**
 * Asks a Worker's isolate how large it is, by the protocol of DevTools.
 *
 * @param {URL} base
 */
export async function inspector(base) {
  // @ts-ignore It has no types.
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`${base.href}core:user:`);
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));

  /** @returns {Promise<number>} */
  const size = () =>
    new Promise((resolve) => {
      socket.once('message', (/** @type {Buffer} */ text) => {
        const { usedSize, embedderHeapUsedSize, backingStorageSize } = JSON.parse(String(text)).result;
        resolve(usedSize + embedderHeapUsedSize + backingStorageSize);
      });
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' }));
    });

  return {
    /** The most while something goes on. @param {Promise<unknown>} work */
    async during(work) {
      let going = true;
      const ended = work.finally(() => (going = false)).catch(() => {});
      let most = await size();
      while (going) {
        await Promise.race([ended, new Promise((rest) => setTimeout(rest, 20))]);
        most = Math.max(most, await size());
      }
      return most;
    },
    close: () => socket.close(),
  };
}

/** The processes that this one began. @returns {number[]} */
export function children() {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** @param {number} pid */
export const nameOf = (pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/**
 * @param {number} pid
 * @param {string} name such as VmRSS
 * @returns {number} bytes
 */
function status(pid, name) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text)?.[1]);
}

/** What a process has in memory. @param {number} pid */
export const resident = (pid) => status(pid, 'VmRSS');

/**
 * The most that a process has in memory while something is done, over what it had before.
 *
 * @template T
 * @param {number} pid
 * @param {() => Promise<T>} act
 * @returns {Promise<[grown: number, result: T]>}
 */
export async function growth(pid, act) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // The peak is now what there is.
  const before = resident(pid);
  const result = await act();
  return [status(pid, 'VmHWM') - before, result];
}
