/** Finds nodes, layers and variables by a part of their names: those of the current graph first. */

import { resultId } from './boxes.js';

/** @import { Ask, Graph, Signal } from './folded-graph.js' */

/** The number of results in this graph, and in the rest of the model. */
const [HERE, ELSEWHERE] = [20, 30];

const OF_THIS = 'of this graph';

/**
 * A result: `node` is the node to show in the current graph, if it is there.
 * @typedef {{ is: string, name: string, about: string, node?: string, path?: string, function?: string | null }} Found
 */

/** A beginning is better than a middle, and a short name better than a long one. @param {string} text */
const byFit = (text) => (/** @type {Found} */ a, /** @type {Found} */ b) => {
  const place = (/** @type {Found} */ { name }) => {
    const at = name.toLowerCase().lastIndexOf(text);
    return at === 0 || name[at - 1] === '/' ? 0 : 1;
  };
  return place(a) - place(b) || a.name.length - b.name.length;
};

/** @param {Graph} graph @param {string} text @returns {Found[]} */
function endsWith({ inputs, outputs }, text) {
  const has = (/** @type {(string | undefined)[]} */ ...names) =>
    names.some((name) => name?.toLowerCase().includes(text));
  return [
    ...inputs
      .filter(({ name, label, attached }) => has(attached ? attached.name : label, attached ? undefined : name))
      .map(({ name, label, attached, word = 'argument' }) => ({
        is: attached?.word ?? attached?.is ?? word,
        name: attached?.name ?? label ?? name,
        about: OF_THIS,
        node: name,
      })),
    ...outputs
      .filter(({ name, label }) => has(name, label))
      .map(({ name, label, word = 'result' }) => ({ is: word, name: label, about: OF_THIS, node: resultId(name) })),
  ];
}

/**
 * Scopes that have the text in their names, around the results. @param {Found[]} nodes @param {string} text
 * @returns {Found[]}
 */
function scopesWith(nodes, text) {
  const ends = nodes.map(({ name }) =>
    name.slice(0, name.indexOf('/', name.toLowerCase().indexOf(text) + text.length)),
  );
  const scopes = new Set(ends.filter((scope) => scope.toLowerCase().includes(text)));
  return [...scopes].map((name) => ({ is: 'scope', name, about: OF_THIS, node: name }));
}

/**
 * @param {any} one of the answer `search`
 * @returns {Found}
 */
const elsewhere = (one) => ({
  is: one.kind === 'variable' || one.variable ? 'variable' : one.is,
  name: one.name ?? one.path ?? '',
  about: one.function ?? one.class ?? one.path ?? one.op ?? '',
  path: one.path,
  function: one.function,
});

/**
 * @param {Graph} graph
 * @param {string} text
 * @param {Ask} ask about the model
 * @param {Signal} how
 * @returns {Promise<{ at: string, here: Found[], others: Found[] }>} `at`: where `here` is
 */
export async function foundIn(graph, text, ask, how) {
  const wanted = text.toLowerCase();
  const { found } = await ask({ question: 'search', name: text, count: ELSEWHERE * 4 }, how);
  const isHere = (/** @type {any} */ one) => 'function' in one && (one.function ?? '') === graph.name;
  const own = found.items.filter(isHere).map(ofThis);
  const ends = endsWith(graph, wanted);
  const names = new Set(ends.map(({ name }) => name));
  const others = own.filter((/** @type {Found} */ { is, name }) => is !== 'input' || !names.has(name));
  const scopes = scopesWith(
    others.filter((/** @type {Found} */ { is }) => is === 'node'),
    wanted,
  );
  const here = [...ends, ...scopes, ...others].sort(byFit(wanted)).slice(0, HERE);
  const shown = new Set(here.map(({ name }) => name));
  const rest = found.items.filter((/** @type {any} */ one) => !isHere(one)).map(elsewhere);
  return {
    at: graph.at,
    here,
    others: rest
      .filter((/** @type {Found} */ { is, name }) => is !== 'variable' || !shown.has(name))
      .slice(0, ELSEWHERE),
  };
}

/** Results in the current graph. @param {any} one @returns {Found} */
const ofThis = ({ is, name, op }) => ({ is, name, about: op ?? OF_THIS, node: name });
