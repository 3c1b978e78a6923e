/** The boxes of a graph with some open scopes, from the core's answers for these. */
import { partBox, partsOf } from './gather.js';
import { callsOf, linesOf, textOf, wordOf } from './held.js';
import { isAutomatic, summary } from './op-kinds.js';
import { typed } from './tensors.js';

/** @import { Edge } from './folded-graph.js' */
/** @import { Group } from './gather.js' */

/** The box of a result, which has no node's name. @param {string} name */
export const resultId = (name) => `return:${name}`;

/** Edges between boxes, each once by its ends; several edges become one, which is a control edge only if all are. */
export class Edges {
  /** @type {Map<string, { from: string, to: string, control: boolean, shapes: Set<string> }>} */
  #edges = new Map();

  /**
   * @param {string | undefined} from @param {string | undefined} to @param {boolean} control @param {string} [shape]
   */
  add(from, to, control, shape = '') {
    if (from === undefined || to === undefined || from === to) return;
    const key = `${from}\n${to}`;
    const edge = this.#edges.get(key) ?? { from, to, control: true, shapes: new Set() };
    edge.control &&= control;
    if (shape) edge.shapes.add(shape);
    this.#edges.set(key, edge);
  }

  /** @returns {Edge[]} */
  all() {
    return [...this.#edges.values()].map(({ shapes, ...edge }) => ({
      ...edge,
      shape: [...shapes].slice(0, 2).join(', '),
    }));
  }
}

export const parentOf = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const restOf = (/** @type {string} */ scope) => `${scope}/\0rest`;

/** 'a/b/c' is in 'a' and in 'a/b'; a leading slash belongs to the first. @param {string} name */
export function scopesAround(name) {
  const found = [];
  for (let at = name.indexOf('/', 1); at >= 0; at = name.indexOf('/', at + 1)) found.push(name.slice(0, at));
  return found;
}

export const isWithin = (/** @type {string} */ name, /** @type {string} */ scope) =>
  !scope || name.startsWith(`${scope}/`);

/** The box for a child: a scope whose only child is another scope is drawn as that one, a scope with a single node as
 * the node.
 * @param {any} child */
export const idOf = ({ path, inner = path }) => inner;

/** Its name in its scope. @param {any} child @param {string} scope */
function labelOf(child, scope) {
  const id = idOf(child);
  const within = id.slice(scope && id !== scope ? scope.length + 1 : 0);
  if (child.is === 'scope' && child.nodes > 1) return within;
  // For a single node, the layer's name is more informative than the operation's, which is shown anyway.
  return (child.is === 'scope' ? within.split(/(?<=.)\//)[0] : (within.split('/').pop() ?? '')).replace(/^\//, '');
}

/** @param {string} scope @param {string[]} frames @param {any} child @param {Map<string, string>} [roles] of its tensors
 * @returns {Group} */
function groupOf(scope, frames, child, roles) {
  const { is, nodes, op, ops = [], parameters } = child;
  const [kind, ...kinds] = ops.map((/** @type {any} */ one) => one.op);
  const isScope = is === 'scope' && nodes > 1;
  const isFed = (op ?? kind) === 'Placeholder';
  const label = labelOf(child, scope);
  const weights = (child.tensors ?? []).filter((/** @type {any} */ one) => one.use !== 'constant');
  return {
    id: idOf(child),
    label: is === 'node' && isAutomatic(label, op) ? op : label,
    scope,
    frames,
    count: nodes,
    is: isScope ? 'scope' : nodes > 1 ? 'many' : isFed ? 'argument' : 'node',
    op: isScope ? summary([kind, ...kinds]).join(', ') : isFed ? '' : (op ?? kind ?? ''),
    calls: callsOf(child),
    attached: linesOf(child, roles),
    more: child.more_tensors,
    parameters: Number(parameters ?? 0),
    weight: Number(parameters ?? 0) || elementsIn(weights),
    dtype: weights[0]?.dtype,
  };
}

/** A type, if it is known. @param {any} type */
const typeWords = (type) => (type.type || type.dtype ? typed(type) : '');

/** @param {any[]} tensors */
const elementsIn = (tensors) =>
  tensors.reduce(
    (sum, { shape }) => sum + (shape?.reduce((/** @type {number} */ a, /** @type {any} */ n) => a * n, 1) || 0),
    0,
  );

/** Scopes with the same contents have the same key. @param {any} child */
const contentsOf = ({ nodes, ops, parameters, size }) => JSON.stringify([nodes, ops, parameters, size]);

/** How many scopes have each contents. @param {any[]} children */
function countAlike(children) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const child of children)
    if (child.is === 'scope' && child.nodes > 1)
      counts.set(contentsOf(child), (counts.get(contentsOf(child)) ?? 0) + 1);
  return counts;
}

export class Boxes {
  /** @type {Map<string, Group>} */
  groups = new Map();
  /** The boxes of children. @type {Map<string, string>} */
  ids = new Map();
  /** Inputs of the graph: their boxes. @type {Map<string, string>} */
  given = new Map();
  /** Boxes that were gathered in another box. @type {Map<string, string>} */
  into = new Map();
  edges = new Edges();

  /** @param {any[]} answers one for each open scope @param {boolean} all whether tensors are boxes
   * @param {{ led?: Set<string>, roles?: import('./held.js').Roles, room?: number, open?: string[], show?: string }} known
   * led: the nodes and scopes to draw, if not all; room: the most children that are drawn without parts */
  constructor(answers, all, { led, roles, room = Infinity, open = [], show = '' }) {
    this.answers = answers;
    this.led = led;
    this.roles = roles;
    this.open = new Set(answers.map(({ scope }) => scope));
    const parts = this.children.length > room ? this.#parts(new Set(open), show) : new Map();
    for (const answer of answers) this.#add(answer, all, parts);
  }

  /** The part of each child, if these are too many; those that are open, or contain what is shown, are frames.
   * @param {Set<string>} open @param {string} show */
  #parts(open, show) {
    /** @type {Map<any, import('./gather.js').Part>} */
    const parts = new Map();
    for (const { scope, children } of this.answers)
      for (const part of partsOf(scope, children.items.filter(this.#isDrawn))) {
        if (open.has(part.id) || part.items.some(({ path }) => path === show || isWithin(show, path)))
          this.open.add(part.id);
        for (const one of part.items) parts.set(one, part);
      }
    return parts;
  }

  /** Children that are drawn, with their contents. @returns {any[]} */
  get children() {
    return this.answers.flatMap(({ children }) => children.items).filter((child) => this.#isDrawn(child));
  }

  #isOpen = (/** @type {any} */ child) => child.is === 'scope' && this.open.has(idOf(child));

  #isDrawn = (/** @type {any} */ child) => !this.#isOpen(child) && (this.led?.has(child.path) ?? true);

  /** @param {any} answer @param {boolean} all @param {Map<any, import('./gather.js').Part>} parts */
  #add({ scope, nodes, children }, all, parts) {
    const around = [...this.open].filter((one) => one && (one === scope || isWithin(scope, one))).sort();
    const alike = countAlike(children.items);
    let rest = nodes;
    for (const child of children.items) {
      rest -= child.nodes;
      this.ids.set(child.path, idOf(child));
      if (!this.#isDrawn(child)) continue;
      const part = parts.get(child);
      if (part && !this.open.has(part.id)) {
        this.ids.set(child.path, part.id);
        if (child === part.items[0]) this.groups.set(part.id, { ...partBox(part), scope, frames: around });
        continue;
      }
      const frames = part ? [...around, part.id] : around;
      const group = groupOf(scope, frames, child, this.roles?.get(idOf(child)) ?? this.roles?.get(''));
      this.groups.set(group.id, group);
      if (group.is === 'scope') group.same = alike.get(contentsOf(child));
      if (!all || group.is === 'scope') continue;
      group.attached = [];
      for (const tensor of child.tensors ?? []) this.#tensor(group, tensor);
    }
    const box = { id: restOf(scope), label: 'more', scope, frames: around, op: '', calls: [], attached: [] };
    if (children.total > children.items.length) this.groups.set(box.id, { ...box, count: rest, is: 'rest' });
  }

  /** A tensor that a node holds, as a box. @param {Group} group @param {any} tensor */
  #tensor({ id: to, scope, frames }, tensor) {
    const id = tensor.node;
    const label = tensor.name ?? id.split('/').pop() ?? id;
    const box = { id, label, scope, frames, count: 1, calls: [], attached: [] };
    if (!this.groups.has(id)) this.groups.set(id, { ...box, is: 'node', op: wordOf(tensor) });
    this.edges.add(id, to, false, textOf(tensor));
  }

  /** @param {any} value @param {string} label @param {string} [word] */
  argument({ name, isNode, ...type }, label, word) {
    if (this.given.has(name)) return;
    if (isNode) {
      const fed = this.groups.get(name);
      if (fed) Object.assign(fed, { is: 'argument', label, op: typed(type) });
      return;
    }
    const id = this.groups.has(name) ? `value:${name}` : name;
    const box = { id, label, scope: '', frames: [], count: 1, calls: [], attached: [] };
    this.given.set(name, id);
    this.groups.set(id, { ...box, is: 'argument', word, dtype: type.dtype, op: typeWords(type) });
  }

  /** @param {import('./folded-graph.js').Output} output */
  result({ name, label, word, ...type }) {
    const id = resultId(name);
    const box = { id, label, scope: '', frames: [], count: 1, calls: [], attached: [] };
    this.groups.set(id, { ...box, is: 'result', word, op: typeWords(type) });
  }

  /** The place of a name, at any depth. @param {string} name */
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
