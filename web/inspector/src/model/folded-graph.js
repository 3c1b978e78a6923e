/** A graph with some of its name scopes open: drawn from the core's answers `scopes` for these. */
import { gathered } from './gather.js';

/** @typedef {import('./gather.js').Group} Group */
/** @typedef {{ signal: AbortSignal }} Signal */
/** @typedef {(question: any, how: Signal) => Promise<any>} Ask */
/** @typedef {{ total: number, first: number, items: any[] }} Page */
/** @typedef {{ name: string, op: string, inputs: string[], control_inputs: string[], attributes: any[] }} Node */
/** @typedef {{ from: string, to: string, control: boolean }} Edge */

/**
 * A graph, as the core knows it.
 * @typedef {object} Graph
 * @property {Ask} ask the core
 * @property {string} [name] of the function
 * @property {any} whole the answer `scopes` for all of it
 * @property {number} most children of a scope that are shown one by one; the rest is one box
 * @property {number} total nodes
 * @property {any[]} problems
 * @property {Node[]} [nodes] all of them, where they are few: they say from which node of an open
 *   scope an edge comes; without them it comes from the scope's border
 */

/** Nodes that are asked for at once to find one of them. */
const PAGE = 1000;

const parentOf = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const restOf = (/** @type {string} */ scope) => `${scope}/\0rest`;
/** What leads out of an open scope, where it is not known from which of its nodes. */
export const exitOf = (/** @type {string} */ scope) => `${scope}/\0exit`;

/** 'a/b/c' is in 'a' and in 'a/b'. @param {string} name */
function scopesAround(name) {
  const found = [];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) found.push(name.slice(0, at));
  return found;
}

/* --- What is drawn ------------------------------------------------------------- */

/** @param {string} scope @param {any} child @returns {Group} */
const groupOf = (scope, { path, name, is, nodes, op }) => ({
  id: path,
  label: name,
  scope,
  count: nodes,
  is,
  op: op ?? '',
});

/**
 * @param {any[]} answers one for each open scope
 * @returns {Map<string, Group>}
 */
function boxesOf(answers) {
  const open = new Set(answers.map(({ scope }) => scope));
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const { scope, nodes, children } of answers) {
    let rest = nodes;
    for (const child of children.items) {
      rest -= child.nodes;
      if (child.is !== 'scope' || !open.has(child.path)) groups.set(child.path, groupOf(scope, child));
    }
    if (children.total > children.items.length)
      groups.set(restOf(scope), { id: restOf(scope), label: 'more', scope, count: rest, is: 'rest', op: '' });
  }
  return groups;
}

/** Edges by their ends; one that is not control is what several make. */
class Edges {
  /** @type {Map<string, Edge>} */
  #edges = new Map();

  /** @param {string | undefined} from @param {string | undefined} to @param {boolean} control */
  add(from, to, control) {
    if (from === undefined || to === undefined || from === to) return;
    const key = `${from}\n${to}`;
    const known = this.#edges.get(key);
    this.#edges.set(key, { from, to, control: control && (known?.control ?? true) });
  }

  all() {
    return [...this.#edges.values()];
  }
}

/**
 * Edges as the core folded them.
 *
 * @param {any[]} answers
 * @param {Map<string, Group>} groups
 * @param {Map<string, string>} into
 */
function foldedEdges(answers, groups, into) {
  const open = new Set(answers.map(({ scope }) => scope));
  const place = (/** @type {string} */ path) => {
    const id = into.get(path) ?? path;
    if (groups.has(id)) return id;
    if (open.has(path)) return exitOf(path);
    return groups.has(restOf(parentOf(path))) ? restOf(parentOf(path)) : undefined;
  };
  const edges = new Edges();
  for (const { children } of answers) {
    for (const { path, is, inputs } of children.items) {
      if (is === 'scope' && open.has(path)) continue;
      for (const { from, control } of inputs) edges.add(place(from), place(path), control);
    }
  }
  return edges.all();
}

/** Of an input such as 'a/b:1' or 'a:output:0', the node. @param {string} input */
const nodeOf = (input) => input.replace(/:.*$/, '');

/**
 * Edges between the nodes, from box to box.
 *
 * @param {Node[]} nodes
 * @param {Map<string, Group>} groups
 * @param {Map<string, string>} into
 */
function exactEdges(nodes, groups, into) {
  const names = new Set(nodes.map(({ name }) => name));
  const place = (/** @type {string} */ name) => {
    if (!names.has(name)) return undefined;
    for (const path of [name, ...scopesAround(name).reverse()]) {
      const id = into.get(path) ?? path;
      if (groups.has(id)) return id;
    }
    const rest = [...scopesAround(name).reverse(), ''].map(restOf);
    return rest.find((id) => groups.has(id));
  };
  const edges = new Edges();
  for (const { name, inputs, control_inputs } of nodes) {
    const to = place(name);
    for (const input of inputs) edges.add(place(nodeOf(input)), to, false);
    for (const input of control_inputs) edges.add(place(input), to, true);
  }
  return edges.all();
}

/* --- What is asked --------------------------------------------------------------- */

/** The answers for these scopes, as far as those around them are open, too.
 * @param {Graph} graph @param {string[]} scopes @param {Signal} how */
async function answersFor({ ask, name, whole, most }, scopes, how) {
  const answers = [whole];
  const open = new Set(scopes);
  for (const scope of [...scopes].sort()) {
    if (!scopesAround(scope).every((around) => open.has(around))) continue;
    const answer = await ask({ question: 'scopes', name, scope, count: most }, how).catch(unlessUnknown);
    // What is only a node has itself in it.
    if (answer?.children.items.some((/** @type {any} */ one) => one.path !== scope)) answers.push(answer);
  }
  return answers;
}

/** A name that was chosen elsewhere need not be a scope. @param {any} error */
function unlessUnknown(error) {
  if (error?.code !== 'NOT_FOUND') throw error;
}

/**
 * What is drawn when some scopes are open.
 *
 * @param {Graph} graph
 * @param {string[]} open
 * @param {Signal} how
 */
export async function drawn(graph, open, how) {
  const answers = await answersFor(graph, open, how);
  const groups = boxesOf(answers);
  const into = gathered(groups);
  const { nodes, total, problems } = graph;
  const edges = nodes ? exactEdges(nodes, groups, into) : foldedEdges(answers, groups, into);
  return { groups: [...groups.values()], edges, total, problems };
}

/**
 * A page of what is in one box: what is alike, or the rest of a scope.
 *
 * @param {Graph} graph
 * @param {{ open: string[], group: string, first: number, count: number }} options
 * @param {Signal} how
 * @returns {Promise<Page>}
 */
export async function membersOf(graph, { open, group, first, count }, how) {
  const { ask, name, most } = graph;
  const answers = await answersFor(graph, open, how);
  const cut = answers.find(({ scope }) => restOf(scope) === group);
  if (cut) {
    const { children } = await ask({ question: 'scopes', name, scope: cut.scope, first: most + first, count }, how);
    return { total: children.total - most, first, items: children.items.map(brief) };
  }
  const into = gathered(boxesOf(answers));
  const inside = answers.flatMap(({ children }) => children.items).filter(({ path }) => into.get(path) === group);
  return { total: inside.length, first, items: inside.slice(first, first + count).map(brief) };
}

/** @param {any} child */
const brief = ({ path, op, is }) => ({ name: path, op: op ?? '', is });

/** @param {Graph} graph @param {string} node @param {Signal} how @returns {Promise<Node | undefined>} */
export async function nodeNamed({ ask, name, nodes: known }, node, how) {
  if (known) return known.find((one) => one.name === node);
  for (let first = 0; ; first += PAGE) {
    how.signal.throwIfAborted();
    const { nodes } = await ask({ question: 'nodes', name, scope: node, first, count: PAGE }, how);
    const found = nodes.items.find((/** @type {any} */ one) => one.name === node);
    if (found || nodes.first + nodes.items.length >= nodes.total) return found;
  }
}
