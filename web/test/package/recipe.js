/** A folder of a reader who follows an example: outside of the repository, with the packed package. */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../runtimes/files.js';
import { start, temporary } from '../runtimes/process.js';
import { assert } from '../support/test.js';
import { install, run } from './project.js';

/** A SavedModel with signatures. */
export const MODEL = `${root}tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb`;

/**
 * Copies an example of web/examples and installs the package beside it. What else it needs is linked to
 * where npm has installed that from a lock, or copied for tools that follow no links out of the folder.
 *
 * @param {string} name empty: none
 * @param {string} tarball
 * @param {{ modules?: string[], copy?: boolean }} [how] folders `node_modules`
 */
export function createRecipe(name, tarball, { modules = [`${root}web/test/package/node_modules`], copy } = {}) {
  const { path, remove } = temporary();
  process.on('exit', remove);
  if (name) cpSync(`${root}web/examples/${name}`, path, { recursive: true });
  writeFileSync(`${path}/package.json`, '{ "private": true }\n');
  install(tarball, path);
  for (const folder of modules) {
    if (copy) copyPackages(folder, `${path}/node_modules`);
    else linkPackages(folder, `${path}/node_modules`);
  }
  return { path, modules, remove };
}

/** As hard links, which are sooner made, or else as copies. @param {string} from @param {string} to */
function copyPackages(from, to) {
  try {
    run('cp', ['-aln', `${from}/.`, to]);
  } catch {
    run('cp', ['-an', `${from}/.`, to]);
  }
}

/** @param {string} from @param {string} to */
function linkPackages(from, to) {
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || existsSync(join(to, name))) continue;
    if (name.startsWith('@')) {
      mkdirSync(join(to, name));
      linkPackages(join(from, name), join(to, name));
    } else symlinkSync(join(from, name), join(to, name));
  }
}

/**
 * Runs a program of the recipe's packages there.
 *
 * @param {{ path: string, modules: string[] }} recipe
 * @param {string[]} command
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} what it printed
 */
export async function inRecipe(recipe, [program = '', ...args], env) {
  const { code, output } = await startIn(recipe, [program, ...args], env).ended;
  assert.equal(code, 0, `${program} ${args.join(' ')}\n${output}`);
  return output;
}

/**
 * @param {{ path: string, modules: string[] }} recipe @param {string[]} command @param {Record<string, string>} [env]
 */
export function startIn({ path, modules }, [program = '', ...args], env) {
  const folders = [`${path}/node_modules`, ...modules].map((folder) => `${folder}/.bin/${program}`);
  const found = folders.find((file) => existsSync(file));
  return start([found ?? program, ...args], { NO_COLOR: '1', ...env }, path);
}

/** What a server prints when it listens: its URL. @param {import('../runtimes/process.js').Child} child */
export async function urlOf(child) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [url] = /http:\/\/(localhost|127\.0\.0\.1|\[::1\]):\d+/.exec(child.output()) ?? [];
    if (url) return url;
    const ended = await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, 50))]);
    if (ended || Date.now() > deadline) throw new Error(`no server:\n${child.output()}`);
  }
}
