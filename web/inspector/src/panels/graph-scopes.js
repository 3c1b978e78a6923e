/** Opened scopes, as the page's address has them: names with spaces between. */

/** Nothing is open; without any text it is as the graph opens by itself. */
const NONE = '/';

/** @param {string[]} scopes */
export const toText = (scopes) => scopes.map((scope) => scope.replace(/[% ]/g, encodeURIComponent)).join(' ') || NONE;

/** @param {string | undefined} text @returns {string[] | undefined} */
export function fromText(text) {
  if (!text) return undefined;
  if (text === NONE) return [];
  return text.split(' ').map((scope) => scope.replaceAll('%20', ' ').replaceAll('%25', '%'));
}
