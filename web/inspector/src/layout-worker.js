/** Lays graphs out, away from the page's thread. */
import dagre from '@dagrejs/dagre';

/**
 * @typedef {{ id: string, width: number, height: number }} Box
 * @typedef {{ from: string, to: string }} Edge
 * @typedef {{ boxes: Record<string, { x: number, y: number }>, edges: { from: string, to: string, points: { x: number, y: number }[] }[], width: number, height: number }} Layout
 */

/** @param {MessageEvent<{ id: number, boxes: Box[], edges: Edge[] }>} event */
onmessage = ({ data: { id, boxes, edges } }) => {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 34, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  postMessage({
    id,
    layout: {
      boxes: Object.fromEntries(graph.nodes().map((name) => [name, { x: graph.node(name).x, y: graph.node(name).y }])),
      edges: graph.edges().map((edge) => ({ from: edge.v, to: edge.w, points: graph.edge(edge).points })),
      width,
      height,
    },
  });
};
