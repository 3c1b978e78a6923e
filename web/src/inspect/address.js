/** Reads an address: a place in a zip archive, and which module inspects the model. Nothing is read for it. */
import { openPath } from '../modules.js';

/** @import { Source } from '../types.js' */
/** @import { Instance } from '../wasm/instance.js' */

/** The mark between an archive's address and the name of a file in it. */
const MARK = '!/';

/** Whether a file begins like a zip archive. @param {Uint8Array} head */
export const isZip = (head) => [0x50, 0x4b, 3, 4].every((byte, i) => head[i] === byte);

/** A part of a URL, unescaped; or unchanged if its escapes are invalid. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * An address that leads into an archive, and the file that it names there.
 *
 * @template T @param {T} input @returns {{ input: T | string, entry?: string }}
 */
export function cutAddress(input) {
  const text = typeof input === 'string' || input instanceof URL ? String(input) : '';
  const mark = text.search(/\.zip!\//i) + 4;
  if (mark < 4) return { input };
  const isUrl = /^https?:/i.test(text);
  const end = isUrl ? text.slice(mark).search(/[?#]|$/) + mark : text.length;
  const entry = text.slice(mark + MARK.length, end);
  return { input: text.slice(0, mark) + text.slice(end), entry: isUrl ? decoded(entry) : entry };
}

/**
 * A URL without its query and fragment. A path stays unchanged: there `?` and `#` are part of a name.
 *
 * @param {string} text
 */
export const withoutQuery = (text) => (openPath && !/^(https?|file):/i.test(text) ? text : text.replace(/[?#].*/s, ''));

/** Kinds that only `models` supports. @param {unknown} kind */
export const isOfModels = (kind) => /^(coreml|samediff)/.test(String(kind));

/** Questions that only it answers. @param {string} question */
export const asksModels = (question) => question === 'cut' || question === 'load';

/** @param {Instance} instance */
export const hasModels = ({ c }) => !!c.cpb_diff_new;

/**
 * Judges by the kind or the name; undefined if neither is enough.
 *
 * @param {unknown} kind
 * @param {string} [name] of the file
 */
export function moduleNamed(kind, name = '') {
  if (kind) return isOfModels(kind) ? 'models' : 'inspect';
  if (/\.(zip|sdz|fb|mlmodel)$/i.test(name)) return 'models';
  return /\.(c?pb|onnx)$/i.test(name) ? 'inspect' : undefined;
}

/**
 * Examines data in memory: is it an archive?
 *
 * @param {{ kind?: unknown, signal?: AbortSignal }} options
 * @returns {(source: Source & { local?: boolean }) => Promise<'inspect' | 'models'>}
 */
export const moduleOf =
  ({ kind, signal }) =>
  async (source) => {
    const named = moduleNamed(kind, source.name);
    if (named || !source.local) return named ?? 'inspect';
    return isZip(await source.read(0, 4, { signal })) ? 'models' : 'inspect';
  };
