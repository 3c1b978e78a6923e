/** Lays graphs out, away from the page's thread. */
import dagre from '@dagrejs/dagre';
import { Connection } from 'libcpb/worker/connection.js';

/**
 * @typedef {{ id: string, width: number, height: number, frames: string[] }} Box frames: what
 *   it is in, the outermost first
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

/** A frame's name is not that of a box. @param {string} id */
const frame = (id) => `\0${id}`;

/** @param {Box[]} boxes @param {Edge[]} edges @param {boolean} framed */
function laidOut(boxes, edges, framed) {
  const graph = new dagre.graphlib.Graph({ compound: framed });
  graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 38, marginx: 18, marginy: 18 });
  graph.setDefaultEdgeLabel(() => ({}));
  const frames = framed ? [...new Set(boxes.flatMap((box) => box.frames))] : [];
  for (const id of frames) graph.setNode(frame(id), {});
  for (const { id, width, height, frames } of boxes) {
    graph.setNode(id, { width, height });
    const chain = [...frames.map(frame), id];
    if (framed) chain.slice(1).forEach((inner, i) => graph.setParent(inner, chain[i]));
  }
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  return { graph, frames };
}

/** @param {Box[]} boxes @param {Edge[]} edges */
function tried(boxes, edges) {
  try {
    return laidOut(boxes, edges, true);
  } catch {
    return laidOut(boxes, edges, false); // dagre has graphs that it cannot frame
  }
}

/** @param {Box[]} boxes @param {Edge[]} edges @returns {Layout} */
function layOut(boxes, edges) {
  const { graph, frames } = tried(boxes, edges);
  const { width = 0, height = 0 } = graph.graph();
  const place = (/** @type {any} */ { x, y, width, height }) => ({
    x: x - width / 2,
    y: y - height / 2,
    width,
    height,
  });
  return {
    boxes: Object.fromEntries(boxes.map(({ id }) => [id, { x: graph.node(id).x, y: graph.node(id).y }])),
    frames: frames.map((id) => ({ id, ...place(graph.node(frame(id))) })).sort((a, b) => a.id.length - b.id.length),
    edges: graph.edges().map((edge) => ({ from: edge.v, to: edge.w, points: graph.edge(edge).points })),
    width,
    height,
  };
}

new Connection(/** @type {any} */ (globalThis)).expose({ layOut });
