/** The models that there are to ask: those of the corpus, and those that other tests made. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { root } from '../runtimes/files.js';

const data = `${root}tests/data/`;
const made = `${root}build/models/`;

/** @type {(path: string) => string[]} */
const filesIn = (path) => readdirSync(data + path).map((name) => `${path}/${name}`);

/** @type {{ case: string, message_type: string }[]} */
const cases = JSON.parse(readFileSync(`${data}cpb.manifest.json`, 'utf8'));

/** @type {(path: string) => boolean} */
const isModel = (path) =>
  cases.some(({ case: name, message_type: type }) => path.includes(`/${name}/`) && /SavedModel|GraphDef/.test(type));

const messages = filesIn('cpb')
  .flatMap(filesIn)
  .filter((path) => /\/orig\.pb$|\/real_.*_zstd\.cpb$/.test(path));

/** Paths in tests/data: of messages that are no models. */
export const otherMessages = messages.filter((path) => !isModel(path));

/** Paths in tests/data. */
export const corpusModels = [
  ...messages.filter(isModel),
  ...filesIn('samediff_small').filter((path) => /\.(zip|fb)$/.test(path)),
];

/** Whole paths of models that TensorFlow wrote, where the tests in tests/model were run. */
export const madeModels = (existsSync(made) ? readdirSync(made) : [])
  .flatMap((name) => ['saved_model.pb', 'graph.pb', 'keras_metadata.pb'].map((file) => `${made}${name}/${file}`))
  .filter((path) => existsSync(path));

/**
 * Whole paths of SameDiff models: of those that are as they should be, or of the others.
 *
 * @param {{ damaged?: boolean }} [which]
 * @returns {string[]}
 */
export function sameDiffModels({ damaged = false } = {}) {
  const { files } = JSON.parse(readFileSync(`${data}samediff/manifest.json`, 'utf8'));
  return files
    .filter((/** @type {any} */ { expect }) => (expect !== 'ok') === damaged)
    .map((/** @type {any} */ { file }) => `${data}samediff/${file}`);
}
