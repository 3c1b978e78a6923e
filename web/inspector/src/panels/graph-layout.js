/** Places the boxes of a graph, and keeps the reader's place in view when they move. */
import { connectWorker } from 'libcpb/worker/connected-worker.js';
import { startWorker } from '../start-worker.js';
import { sizeOf } from './graph-drawing.js';

/** @import { Box, Edge as PlacedEdge, Layout } from '../layout-worker.js' */
/** @import { Group } from '../model/gather.js' */

/** @type {ReturnType<typeof connectWorker> | undefined} one that has nothing to do */
let spare;

/** @param {ReturnType<typeof connectWorker>} worker one that has done its work */
function keep(worker) {
  spare?.end();
  spare = worker;
}

/**
 * Lays out in a worker, which is ended if nothing waits for it any more.
 *
 * @param {Box[]} boxes @param {PlacedEdge[]} edges @param {AbortSignal} [signal] @returns {Promise<Layout>}
 */
async function layOut(boxes, edges, signal) {
  signal?.throwIfAborted();
  const worker = spare ?? connectWorker(startWorker('layout-worker'));
  spare = undefined;
  try {
    const { connection } = worker;
    const layout = await connection.call({ connection }, [1], 'layOut', [boxes, edges, { signal }]);
    keep(worker);
    return layout;
  } catch (error) {
    worker.end(); // It may be busy, and hears nothing then.
    throw error;
  }
}

/** Identical drawings get the same places. @param {any} drawn */
export const keyOf = ({ at, groups, edges }) =>
  JSON.stringify([at, groups.map((/** @type {Group} */ g) => [g.id, g.is, g.label, g.attached.length]), edges]);

/** @typedef {{ from: string, to: string, control: boolean }} Edge */

/**
 * Edges that determine the places of boxes. Control edges would turn a chain of layers into a diagonal, so only
 * one of them is used, and only for a box without other edges.
 *
 * @param {Edge[]} edges
 */
function placing(edges) {
  const placed = new Set(edges.flatMap(({ from, to, control }) => (control ? [] : [from, to])));
  const kept = edges.filter(({ control }) => !control);
  for (const edge of [...edges].reverse()) {
    const { from, to, control } = edge;
    if (!control || (placed.has(from) && placed.has(to))) continue;
    kept.push(edge);
    placed.add(from).add(to);
  }
  return kept;
}

/** How far to the right other control edges go. */
const ASIDE = 70;

/**
 * Other control edges, past the boxes.
 *
 * @param {Edge[]} edges @param {import('../layout-worker.js').Layout} layout @param {Map<string, number>} widths
 */
function aside(edges, { boxes, width }, widths) {
  return edges.flatMap(({ from, to }) => {
    const [a, b] = [boxes[from], boxes[to]];
    if (!a || !b) return [];
    const end = (/** @type {string} */ id, /** @type {{ x: number, y: number }} */ { x, y }) => ({
      x: x + (widths.get(id) ?? 0) / 2,
      y,
    });
    return [{ from, to, points: [end(from, a), { x: width + ASIDE / 2, y: (a.y + b.y) / 2 }, end(to, b)] }];
  });
}

/** What is drawn, laid out in a worker. @param {any} drawn @param {AbortSignal} signal */
export async function laidOut({ groups, edges }, signal) {
  const boxes = groups.map((/** @type {Group} */ g) => ({ id: g.id, ...sizeOf(g), frames: g.frames }));
  const kept = placing(edges);
  const layout = await layOut(
    boxes,
    kept.map(({ from, to }) => ({ from, to })),
    signal,
  );
  const heights = Object.fromEntries(boxes.map((/** @type {any} */ one) => [one.id, one.height]));
  const widths = new Map(boxes.map((/** @type {any} */ one) => [one.id, one.width]));
  const placed = new Set(kept);
  const others = aside(
    edges.filter((/** @type {Edge} */ edge) => !placed.has(edge)),
    layout,
    widths,
  );
  const width = layout.width + (others.length ? ASIDE : 0);
  return { ...layout, width, heights, widths: Object.fromEntries(widths), edges: [...layout.edges, ...others] };
}

/** Where reading begins: at the first argument. @param {any} drawn @param {any} layout */
export const beginning = ({ groups }, layout) => {
  const first = groups.find((/** @type {Group} */ { is }) => is === 'argument');
  return first && layout.boxes[first.id];
};

/**
 * The upper end of a box or an open scope.
 *
 * @param {any} layout @param {string} id @returns {{ x: number, y: number } | undefined}
 */
function topOf({ boxes, frames, heights }, id) {
  const frame = frames.find((/** @type {any} */ one) => one.id === id);
  if (frame) return { x: frame.x + frame.width / 2, y: frame.y };
  return boxes[id] && { x: boxes[id].x, y: boxes[id].y - (heights[id] ?? 0) / 2 };
}

/**
 * How far the drawing must move so that the reader's place stays where it was: the opened or folded
 * box, otherwise the box nearest to the middle.
 *
 * @param {any} before @param {any} now @param {string} id @param {{ x: number, y: number }} middle
 */
export function anchor(before, now, id, middle) {
  const away = (/** @type {[string, any]} */ [, { x, y }]) => Math.hypot(x - middle.x, y - middle.y);
  const same = Object.entries(before?.boxes ?? {}).filter(([id]) => now.boxes[id]);
  const kept = id || same.sort((a, b) => away(a) - away(b))[0]?.[0];
  const [was, is] = [before && kept && topOf(before, kept), kept && topOf(now, kept)];
  return was && is ? { x: was.x - is.x, y: was.y - is.y } : undefined;
}

/** Where a box or an open scope is. @param {any} drawn @param {any} layout @param {string} id */
export function areaOf({ groups }, layout, id) {
  const group = groups.find((/** @type {Group} */ one) => one.id === id);
  const frame = layout.frames.find((/** @type {any} */ one) => one.id === id);
  if (!group || !layout.boxes[id]) return frame;
  const { width, height } = sizeOf(group);
  const { x, y } = layout.boxes[id];
  return { x: x - width / 2, y: y - height / 2, width, height };
}
