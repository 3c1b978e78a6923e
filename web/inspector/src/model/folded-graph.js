/** A large graph with some of its name scopes open: drawn from the core's answers `scopes` for these. */
import { gathered } from './gather.js';
import { resultId } from './small-graph.js';
import { tensorNamed, typed } from './tensors.js';

/** @typedef {import('./gather.js').Group} Group */
/** @typedef {{ signal: AbortSignal }} Signal */
/** @typedef {(question: any, how: Signal) => Promise<any>} Ask */
/** @typedef {{ total: number, first: number, items: any[] }} Page */
/** @typedef {import('./tensors.js').Tensor} Tensor */
/** `calls`: of ONNX, graphs in its attributes and the function that its operation is.
 * @typedef {{ name: string, op: string, inputs: (string | Tensor)[], control_inputs: string[], attributes: any[],
 *   domain?: string, doc?: string, outputs?: any[], calls?: { name: string, function: string }[] }} Node */
/** @typedef {{ from: string, to: string, control: boolean, shape?: string }} Edge */
/** @typedef {import('./tensors.js').Shape} Shape */
/** An argument, or a placeholder of the main graph; `attached` if it is a variable or a constant; `word` if it is
 * called otherwise.
 * @typedef {{ name: string, label: string, word?: string, dtype?: string, shape?: Shape, attached?: import('./attachments.js').Attached }} Input */
/** What is returned, and the tensor that it is.
 * @typedef {{ name: string, label: string, word?: string, dtype?: string, shape?: Shape, tensor: string | Tensor }} Output */

/**
 * How it is to be seen.
 * @typedef {object} Seen
 * @property {string[]} [open] scopes; without it, those that hold most of the graph
 * @property {string} [show] the scopes around this are open, too
 * @property {boolean} [control] with control edges
 * @property {boolean} [all] constants and variables are boxes, too
 */

/**
 * A graph, as the core knows it.
 * @typedef {object} Graph
 * @property {Ask} ask the core
 * @property {string} name of the function, '' of the main graph
 * @property {string} at how it is found again
 * @property {any} whole the answer `scopes` for all of it
 * @property {number} most children of a scope that are shown one by one; the rest is one box
 * @property {number} total nodes
 * @property {any[]} problems
 * @property {Node[]} [nodes] all of them, where they are few
 * @property {Input[]} inputs
 * @property {Output[]} outputs
 * @property {boolean} onlyOutputs whether only what they depend on is drawn
 * @property {Set<string>} library functions that are called by operations of their names
 * @property {(name: string) => string} [placed] where a name is drawn that may be a value's
 * @property {(id: string) => string} [asked] what the core calls it
 * @property {unknown} [unread] initializers are not read yet
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

/** 'a/b' and all that it is in. @param {string} scope */
const framesOf = (scope) => (scope ? [...scopesAround(scope), scope] : []);

/* --- What is drawn ------------------------------------------------------------- */

/** @param {string} scope @param {any} child @returns {Group} */
const groupOf = (scope, { path, name, is, nodes, op }) => ({
  id: path,
  label: name,
  scope,
  frames: framesOf(scope),
  count: nodes,
  is,
  op: op ?? '',
  calls: [],
  attached: [],
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
      groups.set(restOf(scope), groupOf(scope, { path: restOf(scope), name: 'more', nodes: rest, is: 'rest' }));
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

/** Arguments that something takes, and results. @param {Map<string, Group>} groups @param {Graph} graph */
function addEnds(groups, { inputs, outputs }) {
  const box = { scope: '', frames: [], count: 1, calls: [], attached: [] };
  for (const { name, label, attached, word, ...type } of inputs)
    if (!attached) groups.set(name, { ...box, id: name, label, is: 'argument', word, op: typed(type) });
  for (const { name, label, word, ...type } of outputs)
    groups.set(resultId(name), { ...box, id: resultId(name), label, is: 'result', word, op: typed(type) });
}

/** What hands on a value, and is a line in the boxes of those who take it. */
const VALUES = new Set(['Const', 'ReadVariableOp', 'VarHandleOp']);

/**
 * Constants become lines of their users; what only control edges lead to or from is left out.
 *
 * @param {Map<string, Group>} groups
 * @param {Edge[]} edges
 * @param {Seen} options
 */
function tidied(groups, edges, { control, all }) {
  const drawn = control ? edges : edges.filter((edge) => !edge.control);
  const data = new Set(edges.flatMap(({ from, to, control }) => (control ? [] : [from, to])));
  const controlled = new Set(edges.flatMap(({ from, to, control }) => (control ? [from, to] : [])));
  const fed = new Set(drawn.map(({ to }) => to));
  const isValue = (/** @type {Group | undefined} */ group) =>
    !all && group?.is === 'node' && VALUES.has(group.op) && !fed.has(group.id);
  /** @type {Set<string>} */
  const gone = new Set();
  for (const { from, to } of drawn) {
    const [value, user] = [groups.get(from), groups.get(to)];
    if (!value || !user || !isValue(value)) continue;
    gone.add(from);
    if (user.is === 'node')
      user.attached.push({ id: from, is: value.op === 'Const' ? 'constant' : 'variable', name: value.label, text: '' });
  }
  for (const id of groups.keys())
    if (gone.has(id) || (!control && controlled.has(id) && !data.has(id))) groups.delete(id);
  return drawn.filter(({ from }) => !gone.has(from));
}

/* --- What is asked --------------------------------------------------------------- */

/** The answers for these scopes, as far as those around them are open, too.
 * @param {Graph} graph @param {string[]} scopes @param {Signal} how */
async function answersFor({ ask, name, whole, most }, scopes, how) {
  const scopesOf = { question: 'scopes', name: name || undefined, count: most };
  const answers = [whole];
  const open = new Set(scopes);
  for (const scope of [...scopes].sort()) {
    if (!scopesAround(scope).every((around) => open.has(around))) continue;
    const answer = await ask({ ...scopesOf, scope }, how).catch(unlessUnknown);
    // What is only a node has itself in it.
    if (answer?.children.items.some((/** @type {any} */ one) => one.path !== scope)) answers.push(answer);
  }
  return answers;
}

/** A name that was chosen elsewhere need not be a scope. @param {any} error */
function unlessUnknown(error) {
  if (error?.code !== 'NOT_FOUND') throw error;
}

/** A scope with more than this part of all nodes is open at first, unless it has too many children. */
const [MOST_OF_IT, TOO_MANY] = [0.6, 160];

/** Those that hold most of the graph. @param {Graph} graph @param {Signal} how */
async function openAtFirst({ ask, name, whole, total }, how) {
  const open = [];
  for (let at = whole; ;) {
    const big = at.children.items.find(
      (/** @type {any} */ one) => one.is === 'scope' && one.nodes > MOST_OF_IT * total,
    );
    if (!big) return open;
    at = await ask({ question: 'scopes', name: name || undefined, scope: big.path, count: TOO_MANY }, how);
    if (at.children.total > TOO_MANY) return open;
    open.push(big.path);
  }
}

/**
 * What is drawn when some scopes are open.
 *
 * @param {Graph} graph
 * @param {Seen} options
 * @param {Signal} how
 */
export async function drawnLarge(graph, options, how) {
  const { show } = options;
  const wanted = new Set([...(options.open ?? (await openAtFirst(graph, how))), ...scopesAround(show ?? '')]);
  const answers = await answersFor(graph, [...wanted], how);
  const groups = boxesOf(answers);
  const into = gathered(groups);
  addEnds(groups, graph);
  const folded = foldedEdges(answers, groups, into);
  const place = placeIn(answers, groups, into);
  for (const { name, tensor } of graph.outputs) {
    const from = place(tensorNamed(tensor).name);
    if (from) folded.push({ from, to: resultId(name), control: false });
  }
  const edges = tidied(groups, folded, options);
  const open = answers.map(({ scope }) => scope).filter(Boolean);
  const { total, problems } = graph;
  return { groups: [...groups.values()], edges, open, shown: show && place(show), total, problems };
}

/** Where a name is to be found, however deep. @param {any[]} answers @param {Map<string, Group>} groups @param {Map<string, string>} into */
function placeIn(answers, groups, into) {
  return (/** @type {string} */ name) => {
    for (const path of [name, ...scopesAround(name).reverse()]) {
      const id = into.get(path) ?? path;
      if (groups.has(id)) return id;
      if (groups.has(restOf(parentOf(path)))) return restOf(parentOf(path));
    }
    return undefined;
  };
}

/**
 * A page of what is in one box: what is alike, or the rest of a scope.
 *
 * @param {Graph} graph
 * @param {Seen & { group: string, first: number, count: number }} options
 * @param {Signal} how
 * @returns {Promise<Page>}
 */
export async function membersOf(graph, { open = [], group, first, count }, how) {
  const { ask, most } = graph;
  const name = graph.name || undefined;
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
  const question = { question: 'nodes', name: name || undefined, scope: node, count: PAGE };
  for (let first = 0; ; first += PAGE) {
    how.signal.throwIfAborted();
    const { nodes } = await ask({ ...question, first }, how);
    const found = nodes.items.find((/** @type {any} */ one) => one.name === node);
    if (found || nodes.first + nodes.items.length >= nodes.total) return found;
  }
}
