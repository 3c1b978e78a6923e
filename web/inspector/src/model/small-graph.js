/**
 * A graph of which all nodes are known, with some of its name scopes open: what is drawn of it.
 * Scopes are folded here and not by the core, as what is no box does not count.
 */
import { Edges } from './edges.js';
import { gathered } from './gather.js';
import { summary } from './op-kinds.js';
import { readingOf } from './reading.js';
import { elements, shapeOf, tensorNamed, times, typed, valueOf } from './tensors.js';

/** @typedef {import('./attachments.js').Attached} Attached */
/** @typedef {import('./folded-graph.js').Node} Node */
/** @typedef {import('./gather.js').Group} Group */
/** @typedef {import('./reading.js').Reading} Reading */

/** A scope, and what is in it. @typedef {object} Scope
 * @property {string} path
 * @property {Map<string, Scope>} children
 * @property {Node} [node] of this name
 * @property {number} count of nodes */

/** Boxes of which those that are alike do not become one. */
const DRAWN = 400;
/** A scope with more than this part of all nodes is open at first, unless it has too many children. */
const [MOST_OF_IT, TOO_MANY] = [0.6, 360];
/** Scopes and a name. @param {string} name */
const partsOf = (name) => name.split('/');

/** @param {Node[]} nodes @returns {Scope} */
function treeOf(nodes) {
  /** @type {Scope} */
  const root = { path: '', children: new Map(), count: 0 };
  for (const node of nodes) {
    let at = root;
    at.count++;
    for (const part of partsOf(node.name)) {
      const path = at === root ? part : `${at.path}/${part}`;
      const next = at.children.get(part) ?? { path, children: new Map(), count: 0 };
      at.children.set(part, next);
      at = next;
      at.count++;
    }
    at.node = node;
  }
  return root;
}

/** A scope that has only another in it is drawn as that one. @param {Scope} scope @returns {Scope} */
function inner(scope) {
  const [child, other] = scope.children.values();
  return !scope.node && child && !other ? inner(child) : scope;
}

/** The only node in it. @param {Scope} scope @returns {Node | undefined} */
const only = (scope) => scope.node ?? [...scope.children.values()].map(only).find(Boolean);

/** @param {Scope} scope @returns {Node[]} */
const nodesIn = (scope) => [...(scope.node ? [scope.node] : []), ...[...scope.children.values()].flatMap(nodesIn)];

/** Those that hold most of the graph. @param {Scope} root */
function openAtFirst(root) {
  const open = [];
  for (let at = root; ;) {
    const big = [...at.children.values()].map(inner).find(({ count }) => count > 2 && count > MOST_OF_IT * root.count);
    if (!big || big.children.size > TOO_MANY) return open;
    open.push(big.path);
    at = big;
  }
}

/** The scopes around a name. @param {string} name */
const around = (name) =>
  partsOf(name)
    .map((_, i, parts) => parts.slice(0, i + 1).join('/'))
    .slice(0, -1);

/* --- Boxes --------------------------------------------------------------------- */

/** @param {Node} node @returns {{ name: string, function: string }[]} */
export const callsOf = ({ attributes }) =>
  attributes.flatMap(({ name, kind, value }) =>
    (kind === 'function' ? [value] : kind === 'list' ? value : []).flatMap((/** @type {any} */ one) =>
      typeof one?.function === 'string' ? [{ name, function: one.function }] : [],
    ),
  );

/** @param {Node} node @param {Set<string>} library functions that are called by operations of their name */
const allCalls = (node, library) =>
  library.has(node.op) ? [{ name: 'calls', function: node.op }, ...callsOf(node)] : callsOf(node);

class Boxes {
  /** @type {Map<string, Group>} */
  groups = new Map();
  /** the box that a node is in @type {Map<string, string>} */
  boxOf = new Map();
  /** those that are there @type {Set<string>} */
  open = new Set();

  /** @param {Scope} root @param {Set<string>} wanted open @param {Set<string>} library */
  constructor(root, wanted, library) {
    this.wanted = wanted;
    this.library = library;
    this.#inside(root, []);
  }

  /** @param {Scope} scope @param {string[]} frames */
  #inside(scope, frames) {
    for (const one of scope.children.values()) this.#add(inner(one), scope, frames);
  }

  /** @param {Scope} one @param {Scope} scope @param {string[]} frames */
  #add(one, scope, frames) {
    const label = one.path.slice(scope.path ? scope.path.length + 1 : 0);
    // The layer's name says more of its only node than the operation's, which is told anyway.
    if (one.count === 1) this.#node(/** @type {Node} */ (only(one)), partsOf(label)[0] ?? '', scope.path, frames);
    else if (this.wanted.has(one.path)) {
      this.open.add(one.path);
      const inside = [...frames, one.path];
      if (one.node) this.#node(one.node, one.node.name.split('/').pop() ?? '', one.path, inside);
      this.#inside(one, inside);
    } else this.#scope(one, label, scope.path, frames);
  }

  /** @param {Node} node @param {string} label @param {string} scope @param {string[]} frames */
  #node(node, label, scope, frames) {
    const calls = allCalls(node, this.library);
    const { name: id, op } = node;
    this.groups.set(id, { id, label, scope, frames, count: 1, is: 'node', op, calls, attached: [] });
    this.boxOf.set(id, id);
  }

  /** @param {Scope} one @param {string} label @param {string} scope @param {string[]} frames */
  #scope({ path, count, ...rest }, label, scope, frames) {
    const nodes = nodesIn({ path, count, ...rest });
    const calls = nodes.flatMap((node) => allCalls(node, this.library));
    const op = summary(nodes.map((node) => node.op)).join(', ');
    this.groups.set(path, { id: path, label, scope, frames, count, is: 'scope', op, calls, attached: [] });
    for (const { name } of nodes) this.boxOf.set(name, path);
  }
}

/** Boxes of a function's arguments and results. @param {Map<string, Group>} groups @param {any} graph @param {Reading} reading */
function addEnds(groups, { outputs }, reading) {
  const box = { scope: '', frames: [], count: 1, calls: [], attached: [] };
  for (const { name, label, attached, word, ...type } of reading.inputs)
    groups.set(name, {
      ...box,
      id: name,
      label: attached?.name ?? label,
      is: 'argument',
      word,
      op: typed(type),
    });
  for (const { name, label, word, tensor, dtype, shape } of outputs) {
    const from = reading.source(tensor);
    // A resource that came in goes out again.
    if (dtype === 'resource' && reading.attached(from.name)) continue;
    const known = shape ?? shapeOf(reading.nodes.get(from.name), from);
    const op = typed(known === undefined ? { dtype } : { dtype, shape: known });
    groups.set(resultId(name), { ...box, id: resultId(name), label, is: 'result', word, op });
  }
}

/** A result has no node's name. @param {string} name */
export const resultId = (name) => `return:${name}`;

/* --- Edges ----------------------------------------------------------------------- */

/** Draws lines between boxes, and puts into each what belongs to it. */
class Lines {
  edges = new Edges();
  /** where what is no box is drawn first @type {Map<string, string>} */
  hosts = new Map();
  /** of each box, by id @type {Map<string, Map<string, Attached>>} */
  attached = new Map();

  /** @param {Reading} reading @param {(name: string) => string | undefined} place */
  constructor(reading, place) {
    this.reading = reading;
    this.place = place;
  }

  /** Where what is no box is seen. @param {string} name */
  host(name) {
    return this.place(name) ?? this.hosts.get(name) ?? this.place(this.reading.source(name).name);
  }

  /** @param {string} input @param {string | undefined} to a box */
  data(input, to) {
    if (to === undefined) return;
    const { nodes, attached, source } = this.reading;
    const from = source(input);
    const value = attached(from.name);
    if (!value) return this.edges.add(this.place(from.name), to, false, times(shapeOf(nodes.get(from.name), from)));
    const own = this.attached.get(to) ?? new Map();
    this.attached.set(to, own.set(value.id, value));
    for (const name of [from.name, value.id]) if (!this.hosts.has(name)) this.hosts.set(name, to);
  }

  /** @param {Node[]} nodes */
  control(nodes) {
    for (const { name, control_inputs } of nodes)
      for (const from of control_inputs) this.edges.add(this.host(from), this.host(name), true);
  }
}

/** @param {Attached} value @returns {import('./gather.js').Line} */
const lineOf = ({ id, name, is, dtype, shape, tensor }) => ({
  id,
  is,
  // In a frozen graph, a variable's value stands where it was read.
  name: /ReadVariableOp[^/]*\/resource$/.test(name) ? 'weights' : (name.split('/').pop() ?? ''),
  text:
    tensor && is !== 'variable'
      ? valueOf(tensor)
      : is === 'resource'
        ? (dtype ?? '')
        : times(shape) || typed({ dtype, shape }),
});

/** What is in a box is said there; of what is in a scope, only its variables. @param {Group} group @param {Map<string, Attached> | undefined} values */
function furnish(group, values) {
  if (group.is === 'many') return;
  const own = [...(values?.values() ?? [])].filter(({ is }) => group.is !== 'scope' || is !== 'constant');
  group.attached = own.map(lineOf);
  group.parameters = own.reduce((sum, { is, shape }) => sum + (is === 'variable' ? elements(shape) : 0), 0);
}

/* --- All of it --------------------------------------------------------------------- */

/**
 * @param {import('./folded-graph.js').Graph & { nodes: Node[] }} graph
 * @param {import('./folded-graph.js').Seen} options
 */
function seen(graph, { open, show, control = false, all = false }) {
  const reading = readingOf(graph, { control, all });
  const root = treeOf(reading.kept);
  const wanted = new Set([...(open ?? openAtFirst(root)), ...around(show ?? '')]);
  const boxes = new Boxes(root, wanted, graph.library);
  addEnds(boxes.groups, graph, reading);
  return { reading, boxes, into: gathered(boxes.groups, DRAWN) };
}

/** @param {import('./folded-graph.js').Graph & { nodes: Node[] }} graph @param {import('./folded-graph.js').Seen} options */
export function drawnSmall(graph, options) {
  const { reading, boxes, into } = seen(graph, options);
  const { groups, boxOf, open } = boxes;
  const place = (/** @type {string} */ name) => {
    const id = boxOf.get(name) ?? name;
    const group = into.get(id) ?? id;
    return groups.has(group) ? group : undefined;
  };
  const lines = new Lines(reading, place);
  for (const { name, inputs } of reading.kept) for (const input of inputs) lines.data(input, place(name));
  for (const { name, tensor } of graph.outputs) lines.data(tensor, place(resultId(name)));
  if (options.control) lines.control([...reading.nodes.values()]);
  for (const [id, group] of groups) furnish(group, lines.attached.get(id));
  const { show } = options;
  return {
    groups: [...groups.values()],
    edges: lines.edges.all(),
    open: [...open],
    /** the box of what is to be seen */
    shown: show && lines.host(show),
    total: graph.total,
    problems: graph.problems,
  };
}

/**
 * What one box holds that stands for several.
 *
 * @param {import('./folded-graph.js').Graph & { nodes: Node[] }} graph
 * @param {import('./folded-graph.js').Seen & { group: string }} options
 */
export function membersSmall(graph, options) {
  const { boxes, into } = seen(graph, options);
  const fresh = new Map(boxes.boxOf);
  const inside = [...new Set(fresh.values())].filter((id) => into.get(id) === options.group);
  const named = new Map(graph.nodes.map((node) => [node.name, node]));
  return inside.map((name) => {
    const op = named.get(name)?.op;
    return { name, op: op ?? '', is: fresh.get(name) === name && op ? 'node' : 'scope' };
  });
}

/** What of a scope is told beside it. @param {import('./folded-graph.js').Graph & { nodes: Node[] }} graph @param {string} scope */
export function scopeNamed(graph, scope) {
  const inside = graph.nodes.filter(({ name }) => name === scope || name.startsWith(`${scope}/`));
  if (!inside.length) return undefined;
  const { attached } = readingOf(graph, { control: true, all: false });
  /** @type {Map<string, Attached>} */
  const values = new Map();
  for (const input of inside.flatMap(({ inputs }) => inputs)) {
    const value = attached(tensorNamed(input).name);
    if (value?.is === 'variable') values.set(value.id, value);
  }
  const ops = summary(inside.filter(({ name }) => !attached(name)).map(({ op }) => op));
  return { is: 'scope', name: scope, nodes: inside.length, ops, variables: [...values.values()] };
}
