/** Lays graphs out, away from the page's thread. */
import { Graph, layout } from '@dagrejs/dagre';
import { Connection } from 'libcpb/worker/connection.js';

/**
 * @typedef {{ id: string, width: number, height: number, frames: string[] }} Box frames: the
 *   frames around it, the outermost first
 * @typedef {{ from: string, to: string }} Edge
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ x: number, y: number, width: number, height: number }} Place
 * @typedef {object} Layout
 * @property {Record<string, Point>} boxes their middles
 * @property {(Place & { id: string })[]} frames the outermost first
 * @property {{ from: string, to: string, points: Point[] }[]} edges
 * @property {number} width
 * @property {number} height
 */

/** Margin around the drawing. */
const MARGIN = 18;

/** A frame's name is not that of a box. @param {string} id */
const frame = (id) => `\0${id}`;

/** @param {Box[]} boxes @param {Edge[]} edges @param {boolean} framed */
function laidOut(boxes, edges, framed) {
  const graph = new Graph({ compound: framed });
  graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 38, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  if (framed) for (const id of framesOf(boxes)) graph.setNode(frame(id), {});
  for (const { id, width, height, frames } of boxes) {
    graph.setNode(id, { width, height });
    const chain = [...frames.map(frame), id];
    if (framed) chain.slice(1).forEach((inner, i) => graph.setParent(inner, chain[i]));
  }
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  return graph;
}

/**
 * @param {any} node of dagre's, with its middle
 * @returns {Place}
 */
const placeOf = ({ x, y, width, height }) => ({ x: x - width / 2, y: y - height / 2, width, height });

/** The innermost first. @param {Box[]} boxes */
const framesOf = (boxes) => [...new Set(boxes.flatMap(({ frames }) => frames))].sort((a, b) => b.length - a.length);

/** @param {Place} a @param {Place} b */
const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** A frame around places, with room for its name. @param {Place[]} places @returns {Place} */
function around(places) {
  const [x, y] = [Math.min(...places.map((one) => one.x)) - 12, Math.min(...places.map((one) => one.y)) - 20];
  const right = Math.max(...places.map((one) => one.x + one.width)) + 12;
  return { x, y, width: right - x, height: Math.max(...places.map((one) => one.y + one.height)) + 10 - y };
}

/**
 * Frames around boxes that were laid out without frames; undefined if a frame would contain another
 * box. dagre takes several times as long if it knows the frames.
 *
 * @param {Box[]} boxes
 * @param {any} graph laid out
 */
function drawnAround(boxes, graph) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const id of framesOf(boxes)) {
    const inside = new Set(boxes.filter(({ frames }) => frames.includes(id)).map((box) => box.id));
    const inner = boxes.flatMap(({ frames }) => (frames.includes(id) ? frames.slice(frames.indexOf(id) + 1) : []));
    const own = [...new Set(inner)].flatMap((one) => places.get(one) ?? []);
    const place = around([...own, ...[...inside].map((one) => placeOf(graph.node(one)))]);
    const others = [...places].flatMap(([one, at]) => (inner.includes(one) ? [] : [at]));
    if (others.some((one) => meet(one, place))) return undefined;
    if (boxes.some((box) => !inside.has(box.id) && meet(placeOf(graph.node(box.id)), place))) return undefined;
    for (const edge of graph.edges()) {
      if (inside.has(edge.v) || inside.has(edge.w)) continue;
      const points = graph.edge(edge).points.map((/** @type {Point} */ { x, y }) => ({ x, y, width: 1, height: 1 }));
      if (points.some((/** @type {Place} */ one) => meet(one, place))) return undefined;
    }
    places.set(id, place);
  }
  return places;
}

/** @param {Box[]} boxes @param {Edge[]} edges */
function tried(boxes, edges) {
  const flat = laidOut(boxes, edges, false);
  const places = drawnAround(boxes, flat);
  if (places) return { graph: flat, places };
  try {
    const graph = laidOut(boxes, edges, true);
    return { graph, places: new Map(framesOf(boxes).map((id) => [id, placeOf(graph.node(frame(id)))])) };
  } catch {
    return { graph: flat, places: new Map() }; // dagre has graphs that it cannot frame
  }
}

/** What frames stick out of the drawing is made room for. @param {Map<string, Place>} places */
const outside = (places) => Math.max(0, MARGIN / 2 - Math.min(...[...places.values()].map(({ x }) => x), MARGIN));

/** @param {Box[]} boxes @param {Edge[]} edges @returns {Layout} */
function layOut(boxes, edges) {
  const { graph, places } = tried(boxes, edges);
  const { width = 0, height = 0 } = graph.graph();
  const aside = outside(places);
  const moved = (/** @type {Point} */ { x, y }) => ({ x: x + aside, y: y + aside });
  return {
    boxes: Object.fromEntries(boxes.map(({ id }) => [id, moved(graph.node(id))])),
    frames: [...places]
      .map(([id, place]) => ({ id, ...place, ...moved(place) }))
      .sort((a, b) => a.id.length - b.id.length),
    edges: graph.edges().map((edge) => ({ from: edge.v, to: edge.w, points: graph.edge(edge).points.map(moved) })),
    width: width + 2 * aside,
    height: height + 2 * aside,
  };
}

new Connection(/** @type {any} */ (globalThis)).expose({ layOut });
