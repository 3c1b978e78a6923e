/** A project of a user: the packed package installed in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const web = fileURLToPath(new URL('../..', import.meta.url));
const build = fileURLToPath(new URL('../../../build', import.meta.url));

/**
 * What was thrown says what the program printed.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').ExecFileSyncOptions} [options]
 */
export const run = (program, args, options) => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', ...options });
  } catch (error) {
    const { stdout, stderr } = /** @type {any} */ (error);
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  }
};

/** @param {string} name of a program that npm installed here */
export const tool = (name) => `${here}node_modules/.bin/${name}`;

/** @param {string} name of a package that npm installed here */
export const load = (name) => import(createRequire(`${here}package.json`).resolve(name));

/** @param {string} tarball @param {string} folder with a package.json */
export const install = (tarball, folder) =>
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: folder });

/**
 * Packs what scripts/dist.js makes and installs that. The folder is in build/, which the
 * test server serves.
 */
export function createProject() {
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(`${build}/web-package-`);
  const [packed, app] = [`${folder}/packed`, `${folder}/app`];
  run(process.execPath, [`${web}scripts/dist.js`, `${build}/web`, `${packed}/dist`]);
  for (const name of ['package.json', 'README.md']) cpSync(web + name, `${packed}/${name}`);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: packed });
  const tarball = `${folder}/${readdirSync(folder).find((name) => name.endsWith('.tgz'))}`;

  cpSync(`${here}app`, app, { recursive: true });
  cpSync(`${here}types`, `${app}/types`, { recursive: true });
  writeFileSync(`${app}/package.json`, '{ "private": true, "type": "module" }\n');
  install(tarball, app);
  return {
    app,
    tarball,
    dist: `${packed}/dist`,
    jsr: `${folder}/jsr`,
    /** Of a file in it, from the repository's root. @param {string} path */
    url: (path) => `build/${folder.slice(dirname(folder).length + 1)}/app/${path}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
