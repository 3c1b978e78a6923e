/** Child processes that leave nothing behind. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './files.js';

/** @type {Set<() => void>} */
const running = new Set();
process.on('exit', () => running.forEach((kill) => kill()));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/**
 * @typedef {object} Child
 * @property {Promise<{code: number | null, output: string}>} ended
 * @property {() => string} output so far
 * @property {() => void} kill
 * @property {() => Promise<void>} close asks it to end, then makes it
 */

/**
 * Starts a program in a process group of its own.
 *
 * @param {string[]} command
 * @param {Record<string, string>} [env]
 * @param {string} [cwd]
 * @returns {Child}
 */
export function start([program = '', ...args], env = {}, cwd = root) {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-200_000)));
  }
  const signal = (/** @type {'SIGTERM' | 'SIGKILL'} */ name) => {
    try {
      if (child.pid) process.kill(-child.pid, name);
    } catch {
      // It has ended.
    }
  };
  const kill = () => signal('SIGKILL');
  running.add(kill);
  /** @type {Promise<{code: number | null, output: string}>} */
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code, output }));
  });
  ended.then(() => running.delete(kill));
  const close = async () => {
    signal('SIGTERM');
    await within(ended, 3000);
    kill();
    await within(ended, 3000);
  };
  return { ended, kill, output: () => output, close };
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} limit milliseconds
 * @returns {Promise<T | undefined>} undefined when it took longer
 */
export async function within(promise, limit) {
  /** @type {any} */
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve(undefined), limit)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** @returns {{path: string, remove: () => void}} a new folder, gone at the end */
export function temporary() {
  const path = mkdtempSync(join(tmpdir(), 'cpb-runtime-'));
  const remove = () => {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    } catch {
      // Something of the browser still writes there.
    }
  };
  return { path, remove };
}
