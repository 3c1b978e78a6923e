/** The scopes to open so that as much as can be drawn of a graph is seen. */
import { idOf } from './boxes.js';

/** The most boxes. */
const MOST = 600;

/** The outer scopes first; those with too many children for the rest of the room stay folded.
 * @param {import('./folded-graph.js').Graph} graph @param {import('./folded-graph.js').Signal} how */
export async function allOpen({ ask, name, whole, led, inputs, outputs }, how) {
  const open = [];
  let room = MOST - whole.children.total - inputs.length - outputs.length;
  for (let level = [whole]; level.length && room > 0;) {
    const inner = [];
    for (const { children } of level)
      for (const child of children.items) {
        if (child.is !== 'scope' || child.nodes < 2 || (led && !led.has(child.path)) || room < 1) continue;
        const scope = idOf(child);
        const answer = await ask({ question: 'scopes', name: name || undefined, scope, count: MOST }, how);
        if (answer.children.total - 1 > room) continue;
        room -= answer.children.total - 1;
        open.push(scope);
        inner.push(answer);
      }
    level = inner;
  }
  return open;
}
