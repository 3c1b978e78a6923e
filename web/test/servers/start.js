/** Real servers as child processes, each on a free port and a folder of its own. */
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { root } from '../runtimes/files.js';
import { start } from '../runtimes/process.js';

/**
 * @param {string} name of a program that ../setup.sh installs
 * @returns {string | undefined} its path
 */
export function find(name) {
  const folders = [`${root}build/tools`, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Whether it answers, before it ends.
 *
 * @param {import('../runtimes/process.js').Child} child
 * @param {string} url
 */
async function answers(child, url) {
  let ended = false;
  child.ended.then(() => {
    ended = true;
  });
  for (const begun = Date.now(); !ended && Date.now() - begun < 60_000;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return !ended;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return false;
}

/**
 * Starts a server on a free port and waits until it answers. If somebody else took the
 * port before it could, on another one.
 *
 * @param {(port: number) => string[] | Promise<string[]>} command
 * @param {{ path?: string, env?: Record<string, string> }} [options] `path`: of what it answers
 * @returns {Promise<{ base: string, close: () => Promise<void> }>}
 */
export async function serve(command, { path = '/', env } = {}) {
  for (let left = 5; ; left--) {
    const port = await freePort();
    const [base, words] = [`http://127.0.0.1:${port}`, await command(port)];
    const child = start(words, env);
    if (await answers(child, base + path)) return { base, close: child.close };
    await child.close();
    if (left === 1) throw new Error(`${words[0]} did not start: ${child.output()}`);
  }
}
