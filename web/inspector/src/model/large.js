/** A graph that is too large to have it here: put together from the answers for its open scopes. */
import { gathered, prefixes } from './scopes.js';

/** @typedef {import('./scopes.js').Edge} Edge */
/** @typedef {import('./scopes.js').Group} Group */
/** @typedef {(options: any, signal: AbortSignal) => Promise<any>} Ask */
/** @typedef {{ total: number, first: number, items: any[] }} Page */

/** Children of a scope that are shown one by one; the rest is one box. */
export const CHILDREN = 600;
/** Nodes that are asked for at once to find one of them. */
const PAGE = 1000;

const parentOf = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const restOf = (/** @type {string} */ scope) => `${scope}/\0rest`;
/** What leads out of an open scope, where it is not known from which of its nodes. */
export const exitOf = (/** @type {string} */ scope) => `${scope}/\0exit`;

/** @param {string} scope @param {any} child @returns {Group} */
const groupOf = (scope, { path, name, is, nodes, op }) => ({ id: path, label: name, scope, count: nodes, is, op: op ?? '' });

/**
 * @param {any[]} answers one for each open scope
 * @returns {{ groups: Map<string, Group>, inputs: [to: string, inputs: any[]][] }}
 */
function boxesOf(answers) {
  const open = new Set(answers.map(({ scope }) => scope));
  /** @type {Map<string, Group>} */
  const groups = new Map();
  /** @type {[string, any[]][]} */
  const inputs = [];
  for (const { scope, nodes, children } of answers) {
    let rest = nodes;
    for (const child of children.items) {
      rest -= child.nodes;
      if (child.is === 'scope' && open.has(child.path)) continue;
      groups.set(child.path, groupOf(scope, child));
      inputs.push([child.path, child.inputs]);
    }
    if (children.total > children.items.length) groups.set(restOf(scope), { id: restOf(scope), label: 'more', scope, count: rest, is: 'rest', op: '' });
  }
  return { groups, inputs };
}

/** @param {any[]} answers one for each open scope */
function picture(answers) {
  const { groups, inputs } = boxesOf(answers);
  const open = new Set(answers.map(({ scope }) => scope));
  const into = gathered(groups);
  const place = (/** @type {string} */ path) => {
    const id = into.get(path) ?? path;
    if (groups.has(id)) return id;
    if (open.has(path)) return exitOf(path);
    return groups.has(restOf(parentOf(path))) ? restOf(parentOf(path)) : undefined;
  };
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  for (const [path, list] of inputs) {
    const to = place(path) ?? path;
    for (const { from: source, control } of list) {
      const from = place(source);
      if (from !== undefined && from !== to && !edges.has(`${from}\n${to}`)) edges.set(`${from}\n${to}`, { from, to, control });
    }
  }
  return { groups: [...groups.values()], edges: [...edges.values()], into };
}

/**
 * @param {Ask} ask
 * @param {string | undefined} name of the function
 * @param {any} whole the answer for all of it
 */
export function largeGraph(ask, name, whole) {
  /** @param {string[]} scopes @param {AbortSignal} signal */
  async function shown(scopes, signal) {
    const answers = [whole];
    const open = new Set(['', ...scopes]);
    for (const scope of [...scopes].sort()) {
      if (!prefixes(scope).every((around) => open.has(around))) continue;
      const answer = await ask({ question: 'scopes', name, scope, count: CHILDREN }, signal);
      // What is only a node has itself in it.
      if (answer.children.items.some((/** @type {any} */ one) => one.path !== scope)) answers.push(answer);
    }
    return answers;
  }

  return {
    /** @param {string[]} open @param {AbortSignal} signal */
    async graph(open, signal) {
      const { groups, edges } = picture(await shown(open, signal));
      return { groups, edges, total: whole.nodes, problems: whole.problems };
    },
    /** @param {{ open: string[], group: string, first: number, count: number }} options @param {AbortSignal} signal */
    async members({ open, group, first, count }, signal) {
      const answers = await shown(open, signal);
      const cut = answers.find(({ scope }) => restOf(scope) === group);
      if (cut) {
        const { children } = await ask({ question: 'scopes', name, scope: cut.scope, first: CHILDREN + first, count }, signal);
        return { total: children.total - CHILDREN, first, items: children.items.map(brief) };
      }
      const { into } = picture(answers);
      const inside = answers.flatMap(({ children }) => children.items).filter(({ path }) => into.get(path) === group);
      return { total: inside.length, first, items: inside.slice(first, first + count).map(brief) };
    },
    /** @param {string} node @param {AbortSignal} signal */
    async node(node, signal) {
      for (let first = 0; ; first += PAGE) {
        signal.throwIfAborted();
        const { nodes } = await ask({ question: 'nodes', name, scope: node, first, count: PAGE }, signal);
        const found = nodes.items.find((/** @type {any} */ one) => one.name === node);
        if (found || nodes.first + nodes.items.length >= nodes.total) return found;
      }
    },
  };
}

/** @param {any} child */
const brief = ({ path, op, is }) => ({ name: path, op: op ?? '', is });
