/** A graph with some of its name scopes open: drawn from the core's answers `scopes` for these. */
import { Edges } from './edges.js';
import { gathered } from './gather.js';
import { linesOf, textOf, wordOf } from './held.js';
import { summary } from './op-kinds.js';
import { resultId } from './small-graph.js';
import { tensorNamed, times, typed } from './tensors.js';

/** @typedef {import('./gather.js').Group} Group */
/** @typedef {{ signal: AbortSignal }} Signal */
/** @typedef {(question: any, how: Signal) => Promise<any>} Ask */
/** @typedef {{ total: number, first: number, items: any[] }} Page */
/** @typedef {import('./tensors.js').Tensor} Tensor */
/** @typedef {{ name: string, op: string, inputs: string[], control_inputs: string[], outputs?: any[], attributes: any[] }} Node */
/** @typedef {{ from: string, to: string, control: boolean, shape?: string }} Edge */
/** @typedef {import('./tensors.js').Shape} Shape */
/** An argument, or a placeholder of the main graph; `attached` if it is a variable or a constant; `word` if it is
 * called otherwise.
 * @typedef {{ name: string, label: string, word?: string, dtype?: string, shape?: Shape, attached?: import('./attachments.js').Attached }} Input */
/** What is returned, and the tensor that it is.
 * @typedef {{ name: string, label: string, word?: string, dtype?: string, shape?: Shape, tensor: string }} Output */

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
 * @property {number} room boxes of which those that are alike do not become one
 * @property {(id: string, how: Signal) => Promise<string[]>} [placed] nodes or values that are drawn where a name is
 *   meant that may be another value's
 * @property {(id: string, how: Signal) => Promise<any>} [detail] what is told of a node or value, where the core knows it
 * @property {unknown} [unread] initializers are not read yet
 */

/** Nodes that are asked for at once to find one of them. */
const PAGE = 1000;

const parentOf = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const restOf = (/** @type {string} */ scope) => `${scope}/\0rest`;

/** 'a/b/c' is in 'a' and in 'a/b'; a slash in front belongs to the first. @param {string} name */
function scopesAround(name) {
  const found = [];
  for (let at = name.indexOf('/', 1); at >= 0; at = name.indexOf('/', at + 1)) found.push(name.slice(0, at));
  return found;
}

const isWithin = (/** @type {string} */ name, /** @type {string} */ scope) => !scope || name.startsWith(`${scope}/`);

/* --- Boxes --------------------------------------------------------------------- */

/** What a child is drawn as: a scope that has only another in it as that one, one with a single node as the node.
 * @param {any} child */
const idOf = ({ path, inner = path }) => inner;

/** What it is called in its scope. @param {any} child @param {string} scope */
function labelOf(child, scope) {
  const id = idOf(child);
  const within = id.slice(scope && id !== scope ? scope.length + 1 : 0);
  if (child.is === 'scope' && child.nodes > 1) return within;
  // The layer's name says more of its only node than the operation's, which is told anyway.
  return (child.is === 'scope' ? within.split(/(?<=.)\//)[0] : (within.split('/').pop() ?? '')).replace(/^\//, '');
}

/** @param {any} child */
const callsIn = ({ calls = [] }) =>
  calls.map((/** @type {any} */ { name, element, function: called }) => ({
    name: element === undefined ? name : `${name}[${element}]`,
    function: called,
  }));

/** @param {string} scope @param {string[]} frames @param {any} child @param {boolean} all @returns {Group} */
function groupOf(scope, frames, child, all) {
  const { is, nodes, op, ops = [], parameters } = child;
  const [kind, ...kinds] = ops.map((/** @type {any} */ one) => one.op);
  const isScope = is === 'scope' && nodes > 1;
  return {
    id: idOf(child),
    label: labelOf(child, scope),
    scope,
    frames,
    count: nodes,
    is: isScope ? 'scope' : nodes > 1 ? 'many' : 'node',
    op: isScope ? summary([kind, ...kinds]).join(', ') : (op ?? kind ?? ''),
    calls: callsIn(child),
    attached: all ? [] : linesOf(child),
    more: child.more_tensors,
    parameters: Number(parameters ?? 0),
  };
}

class Boxes {
  /** @type {Map<string, Group>} */
  groups = new Map();
  /** What children are drawn as. @type {Map<string, string>} */
  ids = new Map();
  /** What goes into the graph: its boxes. @type {Map<string, string>} */
  given = new Map();
  /** What is gathered in another box. @type {Map<string, string>} */
  into = new Map();
  edges = new Edges();

  /** @param {any[]} answers one for each open scope @param {boolean} all whether tensors are boxes */
  constructor(answers, all) {
    this.answers = answers;
    this.open = new Set(answers.map(({ scope }) => scope));
    for (const answer of answers) this.#add(answer, all);
  }

  /** Children that are drawn, with what is in them. @returns {any[]} */
  get children() {
    return this.answers.flatMap(({ children }) => children.items).filter((child) => !this.#isOpen(child));
  }

  #isOpen = (/** @type {any} */ child) => child.is === 'scope' && this.open.has(idOf(child));

  /** @param {any} answer @param {boolean} all */
  #add({ scope, nodes, children }, all) {
    const frames = [...this.open].filter((one) => one && (one === scope || isWithin(scope, one))).sort();
    let rest = nodes;
    for (const child of children.items) {
      rest -= child.nodes;
      this.ids.set(child.path, idOf(child));
      if (this.#isOpen(child)) continue;
      const group = groupOf(scope, frames, child, all);
      this.groups.set(group.id, group);
      if (all && group.is === 'node') for (const tensor of child.tensors ?? []) this.#tensor(group, tensor);
    }
    const box = { id: restOf(scope), label: 'more', scope, frames, op: '', calls: [], attached: [] };
    if (children.total > children.items.length) this.groups.set(box.id, { ...box, count: rest, is: 'rest' });
  }

  /** What a node holds, as a box. @param {Group} group @param {any} tensor */
  #tensor({ id: to, scope, frames }, tensor) {
    const id = tensor.node;
    const label = id.split('/').pop() ?? id;
    const box = { id, label, scope, frames, count: 1, calls: [], attached: [] };
    if (!this.groups.has(id)) this.groups.set(id, { ...box, is: 'node', op: wordOf(tensor) });
    this.edges.add(id, to, false, textOf(tensor));
  }

  /** @param {any} value @param {string} label @param {string} [word] */
  argument({ name, ...type }, label, word) {
    if (this.given.has(name)) return;
    const id = this.groups.has(name) ? `value:${name}` : name;
    const box = { id, label, scope: '', frames: [], count: 1, calls: [], attached: [] };
    this.given.set(name, id);
    this.groups.set(id, { ...box, is: 'argument', word, op: 'type' in type || 'dtype' in type ? typed(type) : '' });
  }

  /** @param {Output} output */
  result({ name, label, word, ...type }) {
    const id = resultId(name);
    const op = 'type' in type || type.dtype ? typed(type) : '';
    const box = { id, label, scope: '', frames: [], count: 1, calls: [], attached: [] };
    this.groups.set(id, { ...box, is: 'result', word, op });
  }

  /** Where a name is to be found, however deep. @param {string} name */
  place(name) {
    for (const path of [name, ...scopesAround(name).reverse()]) {
      const id = this.ids.get(path) ?? path;
      const group = this.into.get(id) ?? id;
      if (this.groups.has(group)) return group;
      const rest = restOf(parentOf(path));
      if (this.groups.has(rest)) return rest;
    }
    return undefined;
  }

  /** Where an edge begins. @param {any} input */
  source({ from, given }) {
    const id = given ? this.given.get(from) : undefined;
    return given ? id && (this.into.get(id) ?? id) : this.place(from);
  }
}

/** Arguments, values of graphs around this one, and results. @param {Boxes} boxes @param {Graph} graph */
function addEnds(boxes, { inputs, outputs }) {
  for (const { label, attached, word, ...value } of inputs) if (!attached) boxes.argument(value, label, word);
  for (const { inputs: all } of boxes.children)
    for (const { from, given, values: [value = {}] = [] } of all)
      if (given) boxes.argument({ ...value, name: from }, from);
  for (const output of outputs) boxes.result(output);
}

/** @param {Boxes} boxes @param {Graph} graph */
function addEdges(boxes, { outputs }) {
  const [{ results = [] } = {}] = boxes.answers;
  for (const child of boxes.children)
    for (const { control, values = [], ...input } of child.inputs)
      for (const value of values.length ? values : [{}])
        boxes.edges.add(boxes.source(input), boxes.place(child.path), control, times(value.shape));
  for (const { name, tensor } of outputs) {
    const known = results.find((/** @type {any} */ one) => one.name === name);
    const from = known ? known.from !== null && boxes.source(known) : boxes.place(tensorNamed(tensor).name);
    if (from) boxes.edges.add(from, resultId(name), false, times(known?.shape));
  }
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

/** Whether a scope is drawn where these answers are: in one of them. @param {any[]} answers @param {string} scope */
function isSeen(answers, scope) {
  const around = answers.filter((one) => isWithin(scope, one.scope)).sort((a, b) => b.scope.length - a.scope.length)[0];
  const { items, total } = around.children;
  const isIt = (/** @type {any} */ child) => child.is === 'scope' && child.nodes > 1 && idOf(child) === scope;
  return items.some(isIt) || total > items.length;
}

/** The answers for these scopes, as far as those around them are open, too.
 * @param {Graph} graph @param {string[]} scopes @param {Signal} how */
async function answersFor({ ask, name, whole, most }, scopes, how) {
  const open = [...new Set(scopes)].sort();
  if (!open.length) return [whole];
  // What leads to a child comes from what is in the other open scopes.
  const asked = (/** @type {string} */ scope) =>
    ask({ question: 'scopes', name: name || undefined, scope: [scope, ...open].join('\n'), count: most }, how);
  const answers = [await asked('')];
  for (const scope of open) {
    if (!isSeen(answers, scope)) continue;
    const answer = await asked(scope).catch(unlessUnknown);
    // What is only a node has itself in it.
    if (answer?.children.items.some((/** @type {any} */ one) => one.path !== scope)) answers.push(answer);
  }
  return answers;
}

/** A name that was chosen elsewhere need not be a scope. @param {any} error */
export function unlessUnknown(error) {
  if (error?.code !== 'NOT_FOUND') throw error;
}

/** A scope with more than this part of all nodes is open at first, unless it has too many children. */
const MOST_OF_IT = 0.6;

/** Those that hold most of the graph. @param {Graph} graph @param {Signal} how */
async function openAtFirst({ ask, name, whole, room }, how) {
  const open = [];
  for (let at = whole; ;) {
    const big = at.children.items.find(
      (/** @type {any} */ one) => one.is === 'scope' && one.nodes > 2 && one.nodes > MOST_OF_IT * whole.nodes,
    );
    if (!big) return open;
    at = await ask({ question: 'scopes', name: name || undefined, scope: idOf(big), count: room }, how);
    if (at.children.total > room) return open;
    open.push(idOf(big));
  }
}

/**
 * All boxes, before those that are alike are gathered.
 *
 * @param {Graph} graph
 * @param {Seen} options
 * @param {Signal} how
 */
async function boxesOf(graph, { open, show, all = false }, how) {
  const wanted = [...(open ?? (await openAtFirst(graph, how))), ...scopesAround(show ?? '')];
  const boxes = new Boxes(await answersFor(graph, wanted, how), all);
  addEnds(boxes, graph);
  return boxes;
}

/**
 * What is drawn when some scopes are open.
 *
 * @param {Graph} graph
 * @param {Seen} options
 * @param {Signal} how
 */
export async function drawnLarge(graph, options, how) {
  const meant = options.show ? ((await graph.placed?.(options.show, how)) ?? [options.show]) : [];
  const [show] = meant;
  const boxes = await boxesOf(graph, { ...options, show }, how);
  const { groups } = boxes;
  boxes.into = gathered(groups, graph.room);
  addEdges(boxes, graph);
  const edges = tidied(groups, boxes.edges.all(), options);
  const shown = meant.find((one) => groups.has(one)) ?? (show && boxes.place(show));
  const { total, problems } = graph;
  return { groups: [...groups.values()], edges, open: [...boxes.open].filter(Boolean), shown, total, problems };
}

/**
 * A page of what is in one box: what is alike, or the rest of a scope.
 *
 * @param {Graph} graph
 * @param {Seen & { group: string, first: number, count: number }} options
 * @param {Signal} how
 * @returns {Promise<Page>}
 */
export async function membersOf(graph, options, how) {
  const { ask, most } = graph;
  const { group, first, count } = options;
  const name = graph.name || undefined;
  const { groups, answers } = await boxesOf(graph, options, how);
  const cut = answers.find(({ scope }) => restOf(scope) === group);
  if (cut) {
    const { children } = await ask({ question: 'scopes', name, scope: cut.scope, first: most + first, count }, how);
    return { total: children.total - most, first, items: children.items.map(brief) };
  }
  if (groups.has(group)) return alikeNamed(graph, group, { first, count }, how);
  const before = [...groups.values()];
  const into = gathered(groups, graph.room);
  const inside = before.filter(({ id }) => into.get(id) === group);
  return { total: inside.length, first, items: inside.slice(first, first + count).map(asMember) };
}

/** @param {Group} group */
const asMember = ({ id, op, is }) => ({ name: id, op, is: is === 'scope' ? is : 'node' });

/** @param {any} child */
const brief = ({ path, op, is }) => ({ name: path, op: op ?? '', is });

/** Nodes that have one name. @param {Graph} graph @param {string} node @param {{ first: number, count: number }} page @param {Signal} how */
async function alikeNamed({ ask, name }, node, { first, count }, how) {
  const { nodes } = await ask({ question: 'nodes', name: name || undefined, scope: node, count: PAGE }, how);
  const items = nodes.items.filter((/** @type {any} */ one) => one.name === node);
  const listed = items.slice(first, first + count).map((/** @type {any} */ { op }) => ({ name: node, op, is: 'node' }));
  return { total: items.length, first, items: listed };
}

/** @param {Graph} graph @param {string} node @param {Signal} how @returns {Promise<any>} */
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
