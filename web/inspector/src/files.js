/** Files that were dropped or chosen, and names of files. */
import { hasEnding } from './model/kinds.js';

/** A part of a URL's path, as it is read. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts of a path or URL, without its query. @param {string} place */
export function partsOf(place) {
  const isUrl = /^[a-z][\w+.-]*:\/\//i.test(place);
  const [path = ''] = isUrl ? place.split(/[?#]/) : [place];
  const parts = path.split('/').filter(Boolean);
  return isUrl ? parts.map(decoded) : parts;
}

/** The paths of files in folders that were dropped. @type {WeakMap<File, string>} */
const paths = new WeakMap();

/** With the folder that it was chosen with. @param {File} file */
export const pathOf = (file) => paths.get(file) ?? (file.webkitRelativePath || file.name);

/** Names of models; SavedModels, the best first. */
const SAVED = ['saved_model.pb', 'saved_model.pbtxt', 'saved_model.cpb'];
const OTHERS = /(?<!^fingerprint)\.pb$|\.(cpb|pbtxt|zip|fb|meta|index)$/;
/** One of the files that a .cpb may consist of. */
const PART = /\.\d{5}-of-\d{5}\.cpb$/;
/** Inputs and outputs of an ONNX model in the form of ONNX's tests. */
const DATA = /(^|\/)test_data_set_\d+\//;

const isNamed = (/** @type {string} */ name) => hasEnding(name) || OTHERS.test(name);
const folderOf = (/** @type {string} */ path) => path.slice(0, path.lastIndexOf('/') + 1);

/** @typedef {(path: string) => boolean} Has whether this file was also chosen */

/** A SavedModel around it. @param {string} folder @param {string} name @param {Has} has */
function isOfSaved(folder, name, has) {
  const number = SAVED.indexOf(name);
  const better = number >= 0 ? SAVED.slice(0, number) : name === 'keras_metadata.pb' ? SAVED : [];
  const around = name === 'variables.index' ? [folder.replace(/variables\/$/, ''), folder] : [];
  return better.some((one) => has(folder + one)) || around.some((at) => SAVED.some((one) => has(at + one)));
}

/**
 * A higher version, as TensorFlow Serving has them.
 *
 * @param {string} folder @param {string} name @param {string[]} all
 */
function isOldVersion(folder, name, all) {
  const [, around = '', version] = /^(|.*\/)(\d+)\/$/.exec(folder) ?? [];
  if (version === undefined || !SAVED.includes(name)) return false;
  const others = all.filter((path) => path.startsWith(around)).map((path) => path.slice(around.length).split('/'));
  return others.some(
    ([number = '', file = '', ...rest]) =>
      !rest.length && SAVED.includes(file) && /^\d+$/.test(number) && Number(number) > Number(version),
  );
}

/** All of a .cpb, or its first part. @param {string} path @param {string[]} all */
const isLaterPart = (path, all) =>
  PART.test(path) && all.some((one) => one.endsWith('.cpb') && (!PART.test(one) || one < path));

/** Whether there is a better file for the same model. @param {string} path @param {string[]} all */
function isBettered(path, all) {
  const folder = folderOf(path);
  const name = path.slice(folder.length);
  const has = (/** @type {string} */ other) => all.includes(other);
  return (
    isOfSaved(folder, name, has) ||
    isOldVersion(folder, name, all) ||
    isLaterPart(path, all) ||
    (name.endsWith('.index') && has(path.replace(/index$/, 'meta')))
  );
}

/** The models among files that were chosen together. @param {File[]} files @returns {File[]} by their paths */
export function modelsAmong(files) {
  const named = files.filter((file) => isNamed(file.name) && !DATA.test(pathOf(file)));
  const paths = named.map(pathOf);
  const found = named.filter((file) => !isBettered(pathOf(file), paths));
  if (!found.length && files.length === 1) return files;
  return found.sort((a, b) => pathOf(a).localeCompare(pathOf(b), 'en', { numeric: true }));
}

/** All dropped files, including those in folders. @param {DataTransfer | null} transfer */
export async function filesOf(transfer) {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const found = items.map((item) => {
    const entry = item.webkitGetAsEntry?.();
    return entry ? filesIn(entry) : [item.getAsFile()];
  });
  return /** @type {File[]} */ ((await Promise.all(found)).flat().filter(Boolean));
}

/** Files to look for in a folder: a model's files are at its top. */
const MOST = 2000;

/** @param {FileSystemEntry} top @returns {Promise<File[]>} */
async function filesIn(top) {
  /** @type {File[]} */
  const files = [];
  for (const open = [top]; open.length && files.length < MOST;) {
    const entry = /** @type {any} */ (open.shift());
    if (entry.isFile) {
      /** @type {File} */
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      paths.set(file, entry.fullPath.slice(1));
      files.push(file);
    } else open.push(...(await childrenOf(entry)));
  }
  return files;
}

/** @param {FileSystemDirectoryEntry} folder */
async function childrenOf(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const children = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!more.length) return children;
    children.push(...more);
  }
}
