/**
 * Follows the data: all that a node needs, all that needs it, or the shortest way to another; and where this is drawn.
 */
import { resultId } from './boxes.js';
import { drawn, keyOf, unlessUnknown } from './folded-graph.js';

/** @import { Graph, Signal } from './folded-graph.js' */

/**
 * @typedef {object} Following
 * @property {string} node
 * @property {'upstream' | 'downstream' | 'path'} follow
 * @property {string} [to] the other node of a path
 */

/** The most nodes that are highlighted. */
const MOST = 20_000;
/** The most nodes that are listed. */
const LISTED = 200;

/** Constants belong to the boxes that take them. @param {any} one */
const isShown = ({ is, op }) => is !== 'tensor' && !/^const(ant)?$/i.test(op ?? '');

/** The core's name for a box. @param {Graph} graph @param {string} id */
function nameOf({ outputs }, id) {
  const result = outputs.find((one) => resultId(one.name) === id);
  return result ? (result.node ?? result.from ?? '') : id.replace(/^value:/, '');
}

/**
 * The nodes, the nearest first; a path may lead either way.
 *
 * @param {Graph} graph @param {Following} following @param {Signal} how
 */
async function nodesOf(graph, { node, follow, to }, how) {
  const about = { name: nameOf(graph, node), scope: graph.name || undefined, count: MOST };
  const [from, end] = [about.name, to && nameOf(graph, to)];
  const found = async (/** @type {any} */ question) => (await graph.ask(question, how).catch(unlessUnknown))?.found;
  if (follow !== 'path') return found({ ...about, question: follow });
  const there = await found({ ...about, question: 'downstream', to: end });
  if (there?.total) return there;
  const back = await found({ ...about, question: 'downstream', name: end, to: from });
  return back && { ...back, isBack: true };
}

/**
 * @param {Graph} graph
 * @param {Following & import('./folded-graph.js').Seen} options `open` as the drawing has it
 * @param {Signal} how
 */
export async function followed(graph, options, how) {
  const { node, follow, to } = options;
  const found = await nodesOf(graph, options, how);
  const boxes = await boxesShown(graph, options, how);
  const place = (/** @type {string} */ name) => boxes.given.get(name) ?? boxes.place(name);
  const all = (found?.items ?? []).filter(isShown);
  const here = all.filter((/** @type {any} */ one) => (one.function ?? '') === graph.name);
  const own = boxes.groups.has(node) ? node : place(nameOf(graph, node));
  const names = new Set(here.map((/** @type {any} */ { name }) => name));
  const ids = [...names].map(place).filter(Boolean);
  if (follow === 'downstream')
    for (const one of graph.outputs)
      if (names.has(one.node ?? one.from) || own === place(one.from ?? '')) ids.push(resultId(one.name));
  if (to?.startsWith(resultId(''))) ids[found.isBack ? 'unshift' : 'push'](to);
  return {
    total: all.length,
    items: all.slice(0, LISTED),
    isBack: !!found?.isBack,
    /** ids of boxes, for a path in its order */
    boxes: [...new Set(follow === 'path' ? ids : [own, ...ids])],
    ends: follow === 'path' ? [own, to] : [own],
  };
}

/** @param {Graph} graph @param {import('./folded-graph.js').Seen} seen @param {Signal} how */
async function boxesShown(graph, seen, how) {
  if (graph.last?.key !== keyOf(seen)) await drawn(graph, { ...seen, show: undefined }, how);
  return /** @type {import('./boxes.js').Boxes} */ (graph.last?.boxes);
}
