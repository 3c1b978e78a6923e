/** Files that were dropped or chosen. */
import { hasEnding } from './model/kinds.js';

/** Where those lie that were dropped in a folder. @type {WeakMap<File, string>} */
const paths = new WeakMap();

/** With the folder that it was chosen with. @param {File} file */
export const pathOf = (file) => paths.get(file) ?? (file.webkitRelativePath || file.name);

/** Which files of a folder are a model, the best first. */
const MODELS = [
  /^saved_model\.cpb$/,
  /^saved_model\.pb$/,
  /^keras_metadata\.pb$/,
  /(?<!\.\d{5}-of-\d{5})\.cpb$/, // those are parts
  /\.cpb$/,
  { test: hasEnding },
  /(?<!^fingerprint)\.pb$/,
  /\.zip$/,
  /\.fb$/,
  /\.meta$/,
  /\.index$/,
];

/** @param {File[]} files */
export function modelAmong(files) {
  const depth = (/** @type {File} */ file) => pathOf(file).split('/').length;
  for (const name of MODELS) {
    const [file] = files.filter((one) => name.test(one.name)).sort((a, b) => depth(a) - depth(b));
    if (file) return file;
  }
  return files.length === 1 ? files[0] : undefined;
}

/** All files that were dropped, those in folders too. @param {DataTransfer | null} transfer */
export async function filesOf(transfer) {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const found = items.map((item) => {
    const entry = item.webkitGetAsEntry?.();
    return entry ? filesIn(entry) : [item.getAsFile()];
  });
  return /** @type {File[]} */ ((await Promise.all(found)).flat().filter(Boolean));
}

/** Files of a folder that are looked for: those of a model lie at its top. */
const MOST = 2000;

/**
 * @param {FileSystemEntry} top
 * @returns {Promise<File[]>}
 */
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
