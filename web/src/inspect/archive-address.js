/** Examines an address, and zip archives, without reading the archive. */
import { openPath } from '../modules.js';

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
 * @template T
 * @param {T} input
 * @returns {{ input: T | string, entry?: string }}
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
