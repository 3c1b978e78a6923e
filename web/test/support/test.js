/**
 * What every test file imports: `test` on any runtime, `assert`, and the
 * repository's files. Node, Deno and Bun run tests with their own runners; elsewhere
 * they are collected, and the entries in ../runtimes run them with `runCollected`.
 *
 * A test file runs on every runtime unless it imports `node:` modules (then on Node
 * alone) or has a line such as `// runtimes: node, deno, bun`. It does no I/O outside
 * of tests: workerd has none there.
 */
import { AssertionError } from './assert.js';

export { assert, show } from './assert.js';

/** @type {any} */
const global = globalThis;

/** @returns {'node' | 'deno' | 'bun' | 'workerd' | 'chromium' | 'firefox' | 'webkit'} */
function detect() {
  const agent = global.navigator?.userAgent ?? '';
  if (agent === 'Cloudflare-Workers') return 'workerd';
  if (global.Deno) return 'deno';
  if (global.Bun) return 'bun';
  if (global.process?.versions?.node) return 'node';
  if (agent.includes('Firefox/')) return 'firefox';
  return agent.includes('Chrome/') ? 'chromium' : 'webkit';
}

/** The name of the runtime. */
export const runtime = detect();

/** Whether there is a file system. */
const native = runtime === 'node' || runtime === 'deno' || runtime === 'bun';

/** Where the test server is: set by the runner; on Node started here if there is none. */
async function servers() {
  if (global.cpbTest) return global.cpbTest;
  if (!native) return { base: global.location?.origin, other: undefined };
  const { CPB_TEST_BASE: base, CPB_TEST_OTHER: other } = global.process.env;
  if (base || runtime !== 'node') return { base, other };
  const { startServer } = await import('../runtimes/server.js');
  return startServer({ background: true });
}

/**
 * URLs of the test server, without a slash at the end: `base` is the browsers' own
 * origin, `other` is the same server on another origin. See ../runtimes/server.js.
 *
 * @type {{base: string, other: string}}
 */
export const { base, other } = await servers();

/**
 * @param {string} path a file of the repository, such as 'tests/data/README.md'
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function data(path) {
  if (native) {
    const { readFile } = await import('node:fs/promises');
    return new Uint8Array(await readFile(new URL(`../../../${path}`, import.meta.url)));
  }
  const response = await fetch(`${base}/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function json(path) {
  return JSON.parse(new TextDecoder().decode(await data(path)));
}

/** Whether all cases are tried here: on Node, and with CPB_TEST_ALL. */
export const whole =
  runtime === 'node' || Boolean(global.cpbTest ? global.cpbTest.all : global.process?.env.CPB_TEST_ALL);

/**
 * Of many cases those that are tried here. Other runtimes than Node, where the same modules run, take
 * one of so many.
 *
 * @template T
 * @param {T[]} cases
 * @param {number} step
 */
export const some = (cases, step) => (whole ? cases : cases.filter((_, i) => i % step === 0));

/**
 * Runs `fn` for each of many cases in one test, and fails once with all that failed.
 *
 * @template T
 * @param {Iterable<T>} cases
 * @param {(item: T) => string} name
 * @param {(item: T) => unknown} fn
 */
export async function each(cases, name, fn) {
  const failures = [];
  let count = 0;
  for (const item of cases) {
    count++;
    try {
      await fn(item);
    } catch (error) {
      const lines = describe(error).split('\n');
      failures.push(`${name(item)}: ${lines.slice(0, 5).join('\n')}`);
    }
  }
  if (count === 0) throw new Error('there was no case');
  if (failures.length === 0) return;
  const more = failures.length > 10 ? `\n… and ${failures.length - 10} more` : '';
  throw new AssertionError(`${failures.length} of ${count} cases failed\n${failures.slice(0, 10).join('\n')}${more}`);
}

/** @type {(error: any) => string} */
function describe(error) {
  const message = String(error?.message ?? error);
  const stack = String(error?.stack ?? '');
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  const kind = `${error?.name ?? 'thrown'}${error?.code ? ` ${error.code}` : ''}`;
  return `${kind}: ${message}\n${frames.trim()}`;
}

/**
 * @typedef {object} TestOptions
 * @property {string | false} [skip] why this test does not run here; counted and printed
 * @property {number} [timeout] milliseconds; by default far more than the longest takes on a busy machine
 */

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {number} ms
 * @property {'passed' | 'failed' | 'skipped'} status
 * @property {string} [text] why it failed or was skipped
 */

/** @type {{name: string, fn: () => Promise<void>, skip: string | false}[]} */
const collected = [];

/** @type {(fn: () => unknown, limit: number) => Promise<void>} */
async function limited(fn, limit) {
  /** @type {any} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the test took over ${limit} ms`)), limit);
  });
  try {
    await Promise.race([fn(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @callback Register
 * @param {string} name
 * @param {() => Promise<void>} fn
 * @param {string | false} skip
 * @param {number} timeout
 */

/**
 * The runtime's own runner behind one face; a time-out is ours, as each has another.
 *
 * @returns {Promise<Register>}
 */
async function registrar() {
  const module = { node: 'node:test', bun: 'bun:test' }[String(runtime)];
  const native = module ? (await import(module)).test : undefined;
  if (runtime === 'node') return (name, fn, skip) => native(name, { skip }, fn);
  if (runtime === 'bun') {
    return (name, fn, skip, timeout) => (skip ? native.skip(name, fn) : native(name, fn, timeout + 5000));
  }
  if (runtime === 'deno') {
    return (name, fn, skip) =>
      global.Deno.test({
        name,
        fn,
        ignore: Boolean(skip),
        sanitizeOps: false,
        sanitizeResources: false,
      });
  }
  return (name, fn, skip) => collected.push({ name, fn, skip });
}

const register = await registrar();

/**
 * @param {string} name what it proves
 * @param {TestOptions | (() => unknown)} options may be left out
 * @param {() => unknown} [fn]
 */
export function test(name, options, fn) {
  if (typeof options === 'function') return test(name, {}, options);
  const { skip = false, timeout = 300_000 } = options;
  if (!fn) throw new Error(`${name}: no function`);
  if (skip === '' || (skip && typeof skip !== 'string')) throw new Error(`${name}: skip must say why`);
  if (skip && native) console.log(`SKIPPED ${name}: ${skip}`);
  register(name, () => limited(fn, timeout), skip, timeout);
}

/**
 * Runs the tests that were collected, one after another.
 *
 * @returns {Promise<Result[]>}
 */
export async function runCollected() {
  /** @type {Result[]} */
  const results = [];
  for (const { name, fn, skip } of collected.splice(0)) {
    const begun = Date.now();
    /** @type {Result} */
    const result = { name, ms: 0, status: 'passed' };
    if (skip) Object.assign(result, { status: 'skipped', text: skip });
    else {
      try {
        await fn();
      } catch (error) {
        Object.assign(result, { status: 'failed', text: describe(error) });
      }
    }
    result.ms = Date.now() - begun;
    results.push(result);
  }
  return results;
}
