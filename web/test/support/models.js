/** The models that there are to ask: those of the corpus, and those that other tests made. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../runtimes/files.js';

const data = `${root}tests/data/`;
const made = `${root}build/models/`;

/** @type {(path: string) => string[]} */
const filesIn = (path) => readdirSync(data + path).map((name) => `${path}/${name}`);

/** Paths in tests/data. */
export const corpusModels = [
  ...filesIn('cpb')
    .flatMap(filesIn)
    .filter((path) => /\/orig\.pb$|\/real_.*_zstd\.cpb$/.test(path)),
  ...filesIn('samediff_small').filter((path) => /\.(zip|fb)$/.test(path)),
];

/** Whole paths of models that TensorFlow wrote, where the tests in tests/model were run. */
export const madeModels = (existsSync(made) ? readdirSync(made) : [])
  .flatMap((name) =>
    ['saved_model.pb', 'graph.pb', 'keras_metadata.pb'].map((file) => `${made}${name}/${file}`))
  .filter((path) => existsSync(path));

/**
 * The archive of SameDiff models, unpacked: whole paths, of those that are as they should be,
 * or of the others.
 *
 * @param {{ damaged?: boolean }} [which]
 * @returns {string[]}
 */
export function unpackSameDiff({ damaged = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-samediff-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  execFileSync('tar', ['-xJf', `${data}samediff.tar.xz`, '-C', folder]);
  const { files } = JSON.parse(readFileSync(`${folder}/samediff/manifest.json`, 'utf8'));
  return files
    .filter((/** @type {any} */ { expect }) => (expect !== 'ok') === damaged)
    .map((/** @type {any} */ { file }) => `${folder}/samediff/${file}`);
}
