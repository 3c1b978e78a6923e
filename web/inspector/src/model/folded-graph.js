/** A graph with some of its name scopes open: drawn from the core's answers `scopes` for these. */
import { Boxes, idOf, isWithin, restOf, resultId, scopesAround } from './boxes.js';
import { gathered, isPart } from './gather.js';
import { times, typed } from './tensors.js';

/** @import { Group } from './gather.js' */
/** @import { Shape } from './tensors.js' */

/** @typedef {{ signal: AbortSignal }} Signal */
/** @typedef {(question: any, how: Signal) => Promise<any>} Ask */
/** @typedef {{ total: number, first: number, items: any[] }} Page */
/** @typedef {{ from: string, to: string, control: boolean, shape?: string }} Edge */
/** An argument, or a placeholder of the main graph; `attached` if it is a variable or a constant; `word` if it has
 * another name; `isNode` if it is a node.
 * @typedef {{ name: string, label: string, isNode?: boolean, word?: string, dtype?: string, shape?: Shape, type?: any, attached?: import('./held.js').Attached }} Input */
/** A returned value, and the child or value that it comes from.
 * @typedef {{ name: string, label: string, word?: string, dtype?: string, shape?: Shape, type?: any, from?: string | null, given?: boolean, node?: string }} Output */

/**
 * How to draw it.
 * @typedef {object} Seen
 * @property {string[]} [open] open scopes; by default, those that contain most of the graph
 * @property {string} [show] the scopes around this one are open as well
 * @property {boolean} [control] with control edges
 * @property {boolean} [all] constants and variables are also boxes
 */

/**
 * A graph, with the core's answers.
 * @typedef {object} Graph
 * @property {Ask} ask the core
 * @property {string} name of the function, '' of the main graph
 * @property {string} at how it is found again
 * @property {any} whole the answer `scopes` for all of it
 * @property {number} most the most children of a scope that are shown separately; the rest is one box
 * @property {number} total nodes
 * @property {any[]} problems
 * @property {Input[]} inputs
 * @property {Output[]} outputs
 * @property {Set<string>} [led] the nodes and scopes to draw, if not all
 * @property {ReturnType<import('./held.js').rolesIn>} [roles]
 * @property {{ key: string, boxes: Boxes }} [last] the last drawing
 * @property {import('./lookup.js').Lookup} lookup what the core knows of each node and value
 * @property {unknown} [unread] initializers are not read yet
 */

/** Number of nodes requested at once to find those with one name. */
const PAGE = 1000;
/** Up to this many children, all are drawn; beyond, parts of those of a scope. */
const SINGLE = 500;
/** Up to this many boxes are drawn, and similar ones are not joined. */
const ROOM = 600;

/** Arguments, values of graphs around this one, and results. @param {Boxes} boxes @param {Graph} graph */
function addEnds(boxes, { inputs, outputs }) {
  for (const { label, attached, word, ...value } of inputs) if (!attached) boxes.argument(value, label, word);
  for (const { inputs: all } of boxes.children)
    for (const { from, given, values: [value = {}] = [] } of all)
      if (given) boxes.argument({ ...value, name: from }, from);
  for (const output of outputs) boxes.result(output);
}

/** @param {Boxes} boxes @param {Graph} graph */
function addEdges(boxes, { inputs, outputs }) {
  const shapes = new Map(inputs.map(({ name, shape }) => [name, shape]));
  for (const child of boxes.children)
    for (const { control, values = [], ...input } of child.inputs)
      for (const value of values.length ? values : [{}]) {
        const from = boxes.source(input);
        const fed = boxes.groups.get(from ?? '');
        if (fed?.is === 'argument' && !fed.op && value.dtype) fed.op = typed(value);
        if (fed && value.dtype) fed.dtype = value.dtype;
        boxes.edges.add(from, boxes.place(child.path), control, times(value.shape ?? shapes.get(value.name)));
      }
  for (const { name, from, node, given, shape } of outputs) {
    // What it comes from may be an open scope, and the node in it a box.
    const box = (node && boxes.place(node)) ?? (from && boxes.source({ from, given }));
    if (box) boxes.edges.add(box, resultId(name), false, times(shape));
  }
}

/**
 * An Identity at the end of a scope or function is left out. @param {Map<string, Group>} groups @param {Edge[]} edges
 */
function withoutIdentities(groups, edges) {
  const into = new Map(edges.map((edge) => [edge.to, edge]));
  const several = new Set(edges.filter((edge) => into.get(edge.to) !== edge).map(({ to }) => to));
  const used = new Set(edges.map(({ from }) => from));
  for (const [id, { op, is }] of groups) {
    const source = into.get(id);
    if (is !== 'node' || op !== 'Identity' || !source || source.control || several.has(id) || !used.has(id)) continue;
    groups.delete(id);
    edges = edges.filter((edge) => edge !== source);
    for (const edge of edges) if (edge.from === id) Object.assign(edge, { from: source.from });
  }
  return edges;
}

/** Operations that do nothing by themselves. */
const IDLE = /^(Const|NoOp|ReadVariableOp|VarHandleOp)$/;

/**
 * Leaves out boxes that only have control edges, and idle ones, unless these are the only boxes.
 *
 * @param {Map<string, Group>} groups @param {Edge[]} edges @param {Seen} options
 */
function tidied(groups, edges, { control, all }) {
  if (control) return edges;
  const data = new Set(edges.flatMap(({ from, to, control }) => (control ? [] : [from, to])));
  const controlled = new Set(edges.flatMap(({ from, to, control }) => (control ? [from, to] : [])));
  const isIdle = (/** @type {Group} */ { op }) => !all && op.split(', ').every((one) => IDLE.test(one));
  const alone = [...groups.values()].filter((one) => !data.has(one.id) && (controlled.has(one.id) || isIdle(one)));
  if (alone.length < groups.size) for (const { id } of alone) groups.delete(id);
  const drawn = edges.filter((edge) => !edge.control);
  return all ? drawn : withoutIdentities(groups, drawn);
}

/* --- What is asked --------------------------------------------------------------- */

/** Whether a scope is drawn with these answers: it is in one of them. @param {any[]} answers @param {string} scope */
function isSeen(answers, scope) {
  const around = answers.filter((one) => isWithin(scope, one.scope)).sort((a, b) => b.scope.length - a.scope.length)[0];
  const { items, total } = around.children;
  const isIt = (/** @type {any} */ child) => child.is === 'scope' && child.nodes > 1 && idOf(child) === scope;
  return items.some(isIt) || total > items.length;
}

/** The answers for these scopes, as far as the scopes around them are also open.
 * @param {Graph} graph @param {string[]} scopes @param {Signal} how */
async function answersFor({ ask, name, whole, most }, scopes, how) {
  const open = [...new Set(scopes)].sort();
  if (!open.length) return [whole];
  // Edges to a child begin inside the other open scopes.
  const asked = (/** @type {string} */ scope) =>
    ask({ question: 'scopes', name: name || undefined, scope: [scope, ...open].join('\n'), count: most }, how);
  const answers = [await asked('')];
  for (const scope of open) {
    if (!isSeen(answers, scope)) continue;
    const answer = await asked(scope).catch(unlessUnknown);
    // The answer for a single node contains the node itself.
    if (answer?.children.items.some((/** @type {any} */ one) => one.path !== scope)) answers.push(answer);
  }
  return answers;
}

/** A name that was selected elsewhere need not be a scope. @param {any} error */
export function unlessUnknown(error) {
  if (error?.code !== 'NOT_FOUND') throw error;
}

/** A scope with this part of all nodes, or more, is open at first, unless it has too many children. */
const MOST_OF_IT = 0.6;

/** The scopes that contain most of the graph. @param {Graph} graph @param {Signal} how */
async function openAtFirst({ ask, name, whole }, how) {
  const open = [];
  for (let at = whole; ;) {
    const big = at.children.items.find(
      (/** @type {any} */ one) => one.is === 'scope' && one.nodes > 2 && one.nodes >= MOST_OF_IT * whole.nodes,
    );
    if (!big) return open;
    at = await ask({ question: 'scopes', name: name || undefined, scope: idOf(big), count: ROOM }, how);
    if (at.children.total > ROOM) return open;
    open.push(idOf(big));
  }
}

/** All boxes, before similar ones are gathered. @param {Graph} graph @param {Seen} options @param {Signal} how */
async function boxesOf(graph, { open, show, all = false }, how) {
  const wanted = [...(open ?? (await openAtFirst(graph, how))), ...scopesAround(show ?? '')];
  const scopes = wanted.filter((one) => !isPart(one));
  const answers = await answersFor(graph, scopes, how);
  // Closed parts say nothing of single nodes.
  const isClosed = answers.some(({ children }) => children.total > SINGLE) && !show && !wanted.some(isPart);
  const roles = isClosed ? undefined : await graph.roles?.(answers, how);
  const boxes = new Boxes(answers, all, { led: graph.led, roles, room: SINGLE, open: wanted, show });
  addEnds(boxes, graph);
  return boxes;
}

/** What distinguishes drawings of a graph. @param {Seen} seen */
export const keyOf = ({ open, control, all }) => JSON.stringify([open, !!control, !!all]);

/** The drawing with some open scopes. @param {Graph} graph @param {Seen} options @param {Signal} how */
export async function drawn(graph, options, how) {
  const meant = options.show ? await graph.lookup.placed(options.show, how) : [];
  const [show] = meant;
  const boxes = await boxesOf(graph, { ...options, show }, how);
  const { groups } = boxes;
  boxes.into = gathered(groups, ROOM);
  addEdges(boxes, graph);
  const edges = tidied(groups, boxes.edges.all(), options);
  const shown = meant.find((one) => groups.has(one)) ?? (show && boxes.place(show));
  const { total, problems } = graph;
  // The layout keeps the order of what it may: inputs are side by side as the model has them.
  const ordered = [...groups.values()].sort((a, b) => Number(b.is === 'argument') - Number(a.is === 'argument'));
  const open = [...boxes.open].filter(Boolean);
  graph.last = { key: keyOf({ ...options, open }), boxes };
  return { groups: ordered, edges, open, shown, total, problems };
}

/**
 * A page of the contents of one box: similar nodes, or the rest of a scope.
 *
 * @param {Graph} graph @param {Seen & { group: string, first: number, count: number }} options @param {Signal} how
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
  const into = gathered(groups, ROOM);
  const inside = before.filter(({ id }) => into.get(id) === group);
  return { total: inside.length, first, items: inside.slice(first, first + count).map(asMember) };
}

/** @param {Group} group */
const asMember = ({ id, op, is }) => ({ name: id, op, is: is === 'scope' ? is : 'node' });

/** @param {any} child */
const brief = ({ path, op, is }) => ({ name: path, op: op ?? '', is });

/**
 * Nodes that have one name.
 *
 * @param {Graph} graph @param {string} node @param {{ first: number, count: number }} page @param {Signal} how
 */
async function alikeNamed({ ask, name }, node, { first, count }, how) {
  const { nodes } = await ask({ question: 'nodes', name: name || undefined, scope: node, count: PAGE }, how);
  const items = nodes.items.filter((/** @type {any} */ one) => one.name === node);
  const listed = items.slice(first, first + count).map((/** @type {any} */ { op }) => ({ name: node, op, is: 'node' }));
  return { total: items.length, first, items: listed };
}

/** The scopes to open so that as much as can be drawn is seen: the outer ones first; those with too many children for the
 * rest of the room stay folded.
 * @param {Graph} graph @param {Signal} how */
export async function allOpen({ ask, name, whole, led, inputs, outputs }, how) {
  const open = [];
  let room = ROOM - whole.children.total - inputs.length - outputs.length;
  for (let level = [whole]; level.length && room > 0;) {
    const inner = [];
    for (const { children } of level)
      for (const child of children.items) {
        if (child.is !== 'scope' || child.nodes < 2 || (led && !led.has(child.path)) || room < 1) continue;
        const scope = idOf(child);
        const answer = await ask({ question: 'scopes', name: name || undefined, scope, count: ROOM }, how);
        if (answer.children.total - 1 > room) continue;
        room -= answer.children.total - 1;
        open.push(scope);
        inner.push(answer);
      }
    level = inner;
  }
  return open;
}
