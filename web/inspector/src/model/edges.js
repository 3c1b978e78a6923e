/** Edges between boxes, each once. */

/** @import { Edge } from './folded-graph.js' */

/** The box of a result, which has no node's name. @param {string} name */
export const resultId = (name) => `return:${name}`;

/** By their ends; several edges become one, which is a control edge only if all are. */
export class Edges {
  /** @type {Map<string, { from: string, to: string, control: boolean, shapes: Set<string> }>} */
  #edges = new Map();

  /** @param {string | undefined} from @param {string | undefined} to @param {boolean} control @param {string} [shape] */
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
