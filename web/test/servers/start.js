/** Real servers as child processes, each on a free port and a folder of its own. */
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { root } from '../runtimes/files.js';
import { start } from '../runtimes/process.js';

/** @returns {Promise<number>} */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * @param {string} name of a program that ../setup.sh installs
 * @returns {string | undefined} its path
 */
export function find(name) {
  const folders = [`${root}build/tools`, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Starts a server and waits until it answers.
 *
 * @param {string[]} command
 * @param {string} url
 * @param {Record<string, string>} [env]
 * @returns {Promise<() => Promise<void>>} ends it
 */
export async function serve(command, url, env) {
  const child = start(command, env);
  let ended = false;
  child.ended.then(() => { ended = true; });
  for (const begun = Date.now(); ;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return child.close;
    } catch (cause) {
      if (!ended && Date.now() - begun < 15_000) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      await child.close();
      throw new Error(`${command[0]} did not start: ${child.output()}`, { cause });
    }
  }
}
