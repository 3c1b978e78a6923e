/**
 * The page in a notebook: python/libcpb/notebook.js shows it in a frame without an address, and has files read for it.
 */
import { modelsAmong } from './files.js';

/** @import { CpbInspector } from './inspector.js' */

/** @typedef {{ path: string, size: number, lastModified: number }} Listed */
/** @typedef {{ url: string } | { files: Listed[], model: number | null }} Shown model: the number of the one to open; null:
 *   the files are those of a folder */
/** @typedef {(file: number, begin: number, end: number) => Promise<ArrayBuffer>} Read */

/** The most bytes of one message. */
const MOST = 4 * 2 ** 20;

/** Whether the page is in a frame without an address. */
export const isInNotebook = () => location.protocol === 'about:' && parent !== window;

/** Requests to the other side of a port, and its answers. @param {MessagePort} port @returns {Read} */
function reading(port) {
  /** @type {Map<number, { resolve: (bytes: ArrayBuffer) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let last = 0;
  port.onmessage = ({ data: { id, bytes, error } }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (bytes) one?.resolve(bytes);
    else one?.reject(new Error(error));
  };
  return (file, begin, end) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      port.postMessage({ id: last, file, begin, end });
    });
}

/** A range that may take several messages. @param {Read} read @returns {Read} */
const inParts = (read) => async (file, begin, end) => {
  if (end - begin <= MOST) return read(file, begin, end);
  const bytes = new Uint8Array(end - begin);
  for (let at = begin; at < end; at += MOST)
    bytes.set(new Uint8Array(await read(file, at, Math.min(at + MOST, end))), at - begin);
  return bytes.buffer;
};

/** What the inspector uses of a File. @param {Listed} listed @param {number} number @param {Read} read */
function fileOf({ path, size, lastModified }, number, read) {
  const slice = (begin = 0, end = size) => ({
    arrayBuffer: () => read(number, begin, Math.max(begin, Math.min(end, size))),
  });
  const name = path.slice(path.lastIndexOf('/') + 1);
  const file = { name, webkitRelativePath: path, size, lastModified, slice, arrayBuffer: slice().arrayBuffer };
  return /** @type {File} */ (/** @type {unknown} */ (file));
}

/**
 * Without other models, one of which a reader would have to choose.
 *
 * @param {File[]} files @param {number | null} number
 */
function around(files, number) {
  const model = files[number ?? -1];
  return model ? files.filter((one) => one === model || !modelsAmong([model, one]).includes(one)) : files;
}

/** Shows what the notebook says. @param {CpbInspector} inspector */
export function connectNotebook(inspector) {
  inspector.bare = true;
  addEventListener('message', ({ source, data, ports: [port] }) => {
    if (source !== parent || !port) return;
    inspector.theme = data.theme;
    const { url, files, model } = data.shown;
    if (url) return (inspector.src = url);
    const read = inParts(reading(port));
    const found = files.map((/** @type {Listed} */ one, /** @type {number} */ i) => fileOf(one, i, read));
    inspector.files = around(found, model);
  });
  parent.postMessage('libcpb: ready', '*');
}
