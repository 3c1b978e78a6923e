/** Finds the file that a model begins with: the given file, or one in the given folder. */
import { hasEnding } from './kinds.js';

/** @import { Place } from './places.js' */

/** @typedef {{ name: string, why: string }} Tried */

/** Names of files in a model's folder, the best first. */
const NAMES = [
  'saved_model.pb',
  'saved_model.pbtxt',
  'saved_model.cpb',
  'keras_metadata.pb',
  'variables/variables.index',
  'variables.index',
];

const isModel = (/** @type {string} */ name) =>
  /\.(c?pb|(pb|proto)?txt|zip|fb|index|h5|keras|meta|tflite)$/i.test(name) || hasEnding(name.toLowerCase());

/** Whether the model is missing, as opposed to unreadable. S3 answers 403 for missing files.
 * @param {any} error */
const isMissing = (error) =>
  error?.code === 'FORMAT' || (error?.code === 'HTTP' && [403, 404, 410].includes(error.status));

/** @param {any} error */
const whyNot = (error) => (error.code === 'HTTP' ? `the server answered ${error.status}` : error.message);

/** Whether a name stays within its folder: it may be malicious. @param {unknown} path */
const isWithin = (path) =>
  typeof path === 'string' &&
  !path.includes('\\') &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** The model of a Core ML package, as its manifest names it. @param {Place | undefined} folder */
async function rootOf(folder) {
  const manifest = folder?.near('Manifest.json', '');
  try {
    const { rootModelIdentifier, itemInfoEntries } = JSON.parse(new TextDecoder().decode(await manifest?.bytes()));
    const { path } = itemInfoEntries[rootModelIdentifier];
    return isWithin(path) ? folder?.near(`Data/${path}`, '') : undefined;
  } catch {
    return undefined;
  }
}

/** What a string of the text format says; bytes other than ASCII may be octal numbers. @param {string} text */
function textOf(text) {
  const parts = [...text.matchAll(/\\([0-7]{1,3})|\\?([^])/gu)];
  const bytes = parts.flatMap(([, octal, one]) => (octal ? [parseInt(octal, 8)] : [...new TextEncoder().encode(one)]));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The newest checkpoint, as the file `checkpoint` of a training names it: its index, or all of it in one file.
 * @param {Place | undefined} folder @returns {Promise<Place[]>} */
async function latestIn(folder) {
  const list = new TextDecoder().decode(await folder?.near('checkpoint', '')?.bytes());
  const [, path] = /^\s*model_checkpoint_path:\s*"((?:[^"\\]|\\.)*)"/m.exec(list) ?? [];
  const saved = path && textOf(path); // which may be another place
  const name = saved?.split(/[/\\]+/).pop();
  if (name === undefined || /^\.\.?$/.test(name)) return [];
  return [`${name}.index`, ...(name ? [name] : [])].flatMap((one) => folder?.near(one, '') ?? []);
}

/**
 * The result of `open` for it.
 *
 * @template T
 * @param {Place} place
 * @param {(place: Place) => Promise<T>} open
 * @returns {Promise<T | { tried: Tried[] }>} tried: a folder without a model
 */
export async function findModel(place, open) {
  if (!place.remote || isModel(place.name)) return open(place);
  /** @type {Tried[]} */
  const tried = [];
  const folder = place.name ? place.near(`${place.name}/`, '') : place;
  const places = NAMES.map((name) => /** @type {Place} */ (folder?.near(name, '')));
  const isPackage = /\.mlpackage$/i.test(place.name);
  const root = isPackage ? await rootOf(folder) : undefined;
  if (root) return open(root);
  const candidates = async function* candidates() {
    if (place.name) yield place;
    yield* places;
    yield* await latestIn(folder);
  };
  for await (const one of candidates()) {
    try {
      return await open(one);
    } catch (error) {
      if (!isMissing(error)) throw error;
      tried.push({ name: one.path, why: whyNot(error) });
    }
  }
  const found = isPackage ? undefined : await rootOf(folder);
  if (found) return open(found);
  const manifest = folder?.near('Manifest.json', '');
  return { tried: [...tried, { name: manifest?.path ?? '', why: 'it names no model, or is not there' }] };
}
