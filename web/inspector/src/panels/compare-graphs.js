/** Steps through the graphs of two models side by side: what both show, and the difference. Loaded when asked for. */

/** @import { Change, Marks } from './graph-marks.js' */

/** @typedef {{ change: Change, name: string, graph: string }} Difference `graph`: of this model, '' for the main one */
/** @typedef {'a' | 'b'} Side */
/** @typedef {{ at: string, node: string, view: import('../inspector.js').View }} Place */

/** The differences of nodes, in the answer's order. @param {any[]} sections @returns {Difference[]} */
const differencesIn = (sections) =>
  sections
    .filter(({ section, meta_graph: number }) => section === 'nodes' && !number)
    .flatMap(({ function: graph = '', differences }) =>
      differences.map((/** @type {any} */ { change, name }) => ({ change, name, graph })),
    );

/** @returns {Place} */
const beginning = () => ({ at: '', node: '', view: {} });

export class Sides {
  /** The number of the shown difference, or -1. */
  number = -1;
  /** @type {Record<Side, Place>} */
  places = { a: beginning(), b: beginning() };

  /**
   * @param {Record<Side, import('../session.js').Session>} sessions
   * @param {any[]} sections of the comparison
   * @param {(at?: string) => string} keyOf the name of a graph in both models
   * @param {() => void} changed
   */
  constructor(sessions, sections, keyOf, changed) {
    this.sessions = sessions;
    this.keyOf = keyOf;
    this.changed = changed;
    this.all = differencesIn(sections);
    /** @type {Record<Side, Marks>} */
    this.marks = { a: this.#marked('added'), b: this.#marked('removed') };
  }

  get current() {
    return this.all[this.number];
  }

  /** What one of the models shows. @param {Change} without */
  #marked(without) {
    /** @type {Marks} */
    const marks = new Map();
    for (const { change, name, graph } of this.all) {
      if (change === without) continue;
      const key = this.keyOf(graph);
      if (!marks.has(key)) marks.set(key, new Map());
      marks.get(key)?.set(name, change);
    }
    return marks;
  }

  /** A model's graph of that name; where it has none, the shown one. @param {Side} side @param {string} at */
  async #alike(side, at) {
    if (!at || at === '/') return at;
    const { signatures = [], functions = [] } = await this.sessions[side].look('places', {});
    const names = [...signatures, ...functions].map((one) => one.at ?? one.name);
    const isAlike = (/** @type {string} */ name) => this.keyOf(name) === this.keyOf(at);
    return (names.includes(at) ? at : names.find(isAlike)) ?? this.places[side].at;
  }

  /** To the next difference, or the one before. @param {number} by */
  step(by) {
    const { length } = this.all;
    const first = by > 0 ? 0 : length - 1;
    return this.lead(this.number < 0 ? first : (this.number + by + length) % length);
  }

  /** Shows a difference by its place. @param {string} graph @param {string} name */
  show(graph, name) {
    return this.lead(this.all.findIndex((one) => one.graph === graph && one.name === name));
  }

  /** Shows a difference in the graphs that have it. @param {number} number */
  async lead(number) {
    const one = this.all[number];
    if (!one) return;
    this.number = number;
    const at = one.graph || '/';
    const there = await this.#alike('b', at);
    this.places = {
      a: { ...this.places.a, at, node: one.change === 'added' ? '' : one.name },
      b: { ...this.places.b, at: there, node: one.change === 'removed' ? '' : one.name },
    };
    this.changed();
  }

  /** A step within one of the graphs; the other one follows. @param {Side} side @param {Place} to */
  async follow(side, { at, node, view }) {
    const other = side === 'a' ? 'b' : 'a';
    const there = await this.#alike(other, at);
    const change = this.marks[side].get(this.keyOf(at))?.get(node);
    this.places[side] = { at, node, view };
    this.places[other] = {
      at: there,
      node: !change || change === 'changed' ? node : '',
      view: { ...this.places[other].view, ...(view.open === undefined ? {} : { open: view.open }) },
    };
    this.changed();
  }

  /** How one of the graphs is seen. @param {Side} side @param {Record<string, any>} change */
  see(side, change) {
    this.places[side].view = { ...this.places[side].view, ...change };
    this.changed();
  }
}
