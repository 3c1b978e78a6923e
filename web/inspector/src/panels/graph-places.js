/**
 * Where the reader was in each drawing (the browser's back and forward lead there again), and which scopes are open.
 */

/** @typedef {{ x: number, y: number, scale: number }} Seen */

/** Whether the reader came by back or forward, and did nothing since. */
let isReturn = false;
addEventListener('popstate', () => (isReturn = true));
for (const act of ['click', 'keydown']) addEventListener(act, () => (isReturn = false), { capture: true });

/** Models have their own places. @type {WeakMap<object, Map<string, Seen>>} */
const known = new WeakMap();

export class Places {
  #key = '';
  /** the part to show once the drawing of its place is there @type {Seen | undefined} */
  #wanted;

  /** A place, which may be the same as before. @param {object} session @param {unknown[]} place */
  enter(session, place) {
    const key = JSON.stringify(place);
    if (key === this.#key) return;
    this.#key = key;
    this.#wanted = isReturn ? known.get(session)?.get(key) : undefined;
  }

  /** @param {object} session @param {Seen} seen */
  keep(session, { x, y, scale }) {
    const all = known.get(session) ?? new Map();
    known.set(session, all.set(this.#key, { x, y, scale }));
  }

  /** @param {import('./graph-zoom.js').Zoom} zoom of the finished drawing */
  restore(zoom) {
    if (this.#wanted) zoom.return(this.#wanted);
    this.#wanted = undefined;
  }
}

/** Opened scopes are in the page's address as names with spaces between. This: nothing is open; without any text it is as
 * the graph opens by itself. */
const NONE = '/';

/** @param {string[]} scopes */
export const toText = (scopes) => scopes.map((scope) => scope.replace(/[% ]/g, encodeURIComponent)).join(' ') || NONE;

/** @param {string | undefined} text @returns {string[] | undefined} */
export function fromText(text) {
  if (!text) return undefined;
  if (text === NONE) return [];
  return text.split(' ').map((scope) => scope.replaceAll('%20', ' ').replaceAll('%25', '%'));
}
