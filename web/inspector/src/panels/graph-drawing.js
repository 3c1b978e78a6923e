/** The drawing of a graph: boxes with their contents, frames of open scopes, and edges. */
import { html, nothing, svg } from 'lit';
import { count, counted, plain } from '../format.js';
import { isAlike } from '../model/op-kinds.js';

/** @import { Layout } from '../layout-worker.js' */
/** @import { Group } from '../model/gather.js' */

/** Heights in a box: its head, of two lines or one, a line for an input, a call, and the space below. */
const [HEAD, SHORT, LINE, CALL, FOOT] = [40, 28, 15, 22, 5];
/** The most lines that are shown; and for a scope, lines for its variables. */
const [LINES, SCOPE_LINES] = [5, 3];
/** For text in a box: widths of a letter, and the longest text in letters. */
const [NAME, SMALL, LONG] = [8, 6.5, 30];

/** @param {string} label @param {number} [most] */
export const short = (label, most = LONG) => {
  const text = plain(label);
  const half = Math.floor((most - 1) / 2);
  return text.length > most ? `${text.slice(0, half)}…${text.slice(-half)}` : text;
};

/** A function's name, without TensorFlow's prefix and suffix. @param {string} name */
export const functionName = (name) => name.replace(/^__(inference|forward|backward)_(.+?)_\d+$/, '$2');

const several = (/** @type {Group} */ { is }) => is === 'many' || is === 'rest';

/** The second line; none if it would repeat the first. @param {Group} group */
function under({ is, label, op, count: nodes, same = 1 }) {
  if (is === 'rest') return 'listed only';
  if (is === 'node' || is === 'many') return isAlike(label, op) ? '' : short(op, 34) || 'alike';
  if (is === 'scope') {
    const words = `${counted(nodes, 'node')}${same > 1 ? `, ${count(same)} × the same` : ''}`;
    return op ? `${words}: ${short(op, 34)}` : words;
  }
  return short(op, 34) || is;
}

/** Lines of a box: its inputs, as far as there is room. @param {Group} group */
function linesOf({ is, attached, more = 0, parameters }) {
  const most = is === 'scope' ? SCOPE_LINES : LINES;
  if (attached.length + more <= most) return attached.map(({ name, text }) => [short(name, 22), short(text, 38)]);
  const shown = attached.slice(0, most - 1).map(({ name, text }) => [short(name, 22), short(text, 38)]);
  const rest = `${count(attached.length + more - shown.length)} more`;
  return [...shown, [rest, parameters ? `${count(parameters)} in all` : '']];
}

/** Calls that have their own line; those within a scope are visible when it is open. @param {Group} group */
const callsIn = ({ is, calls }) => (is === 'node' ? calls.slice(0, 4) : []);

/** @param {{ name: string, function: string }} call */
const callText = ({ name, function: called }) =>
  `${name === 'f' || name === 'calls' ? '' : `${short(name.replace(/_branch$/, ''), 10)} `}→ ${short(functionName(called), 34)}`;

/** @param {Group} group */
const headOf = (group) => (under(group) ? HEAD : SHORT);

/** @param {Group} g */
const titleOf = (g) => `${g.is === 'scope' ? '+ ' : ''}${short(g.label)}${several(g) ? ` × ${count(g.count)}` : ''}`;

/** @param {Group} group */
export function sizeOf(group) {
  const lines = linesOf(group);
  const calls = callsIn(group);
  const width = Math.max(
    70,
    30 + NAME * titleOf(group).length,
    24 + SMALL * under(group).length,
    ...lines.map(([name = '', text = '']) => 26 + SMALL * (name.length + text.length + 1)),
    ...calls.map((call) => 30 + SMALL * callText(call).length),
  );
  const more = lines.length * LINE + calls.length * CALL;
  return { width: Math.round(width), height: headOf(group) + (more ? more + FOOT : 0) };
}

/** The text for screen readers matches the picture. @param {Group} group @param {string} sign */
function spoken(group, sign) {
  const text = wordsOf(group);
  return sign ? `${text}, ${sign}` : text;
}

/** @param {Group} group */
function wordsOf(group) {
  const { id, is, label, word = is, op, count: nodes, calls } = group;
  const lines = linesOf(group).map(([name, text]) => `${name} ${text}`.trim());
  const called = callsIn(group).length
    ? [`calls ${calls.map((one) => plain(functionName(one.function))).join(', ')}`]
    : [];
  const second = under(group) ? [plain(op)] : [];
  // What the box says comes first; in no scope, the name that its title has comes last.
  const name = !id.includes('/') && id.startsWith(label) && id !== label ? [plain(id)] : [];
  if (is === 'node') return [plain(label), ...second, ...lines, ...called, ...name].join(', ');
  if (is === 'argument' || is === 'result') return `${word} ${plain(label)}, ${plain(op)}`;
  if (is === 'scope') return [`open scope ${plain(label)}`, under(group), ...lines].join(', ');
  return [`${plain(label)} × ${count(nodes)}`, ...second].join(', ');
}

/**
 * @typedef {object} Actions
 * @property {(group: Group) => void} choose
 * @property {(scope: string) => void} fold
 * @property {(name: string) => void} enter a function
 */

/** @param {Group} group @param {{ x: number, y: number }} at
 * @param {{ chosen: string, start: string, isPale: boolean, colour?: string, sign: string }} state
 * @param {Actions} actions */
function box(group, { x, y }, { chosen, start, isPale, colour, sign }, { choose, enter }) {
  const { id, is, label } = group;
  const { width, height } = sizeOf(group);
  const lines = linesOf(group);
  const head = headOf(group);
  const top = head + lines.length * LINE;
  const [left, up] = [Math.round(x - width / 2), Math.round(y - height / 2)];
  return svg`<g class="box ${is} ${isPale ? 'pale' : ''}" tabindex=${id === start ? 0 : -1} role="button" data-id=${id}
      aria-pressed=${is === 'scope' ? nothing : id === chosen} aria-label=${spoken(group, sign)}
      transform="translate(${left} ${up})" @click=${() => choose(group)}>
    <title>${several(group) ? plain(label) : plain(id.replace(/^return:/, ''))}</title>
    <rect width=${width} height=${height}></rect>
    ${
      colour
        ? svg`<rect fill=${colour} fill-opacity=".15" width=${width} height=${head - 2}></rect>
          <rect class="band" fill=${colour} x="4" y="7" width="4" height=${head - 14}></rect>`
        : nothing
    }
    ${sign ? svg`<text aria-hidden="true" class="sign" x=${width / 2 + 8} y="-4">${sign}</text>` : nothing}
    <text aria-hidden="true" class="name" x=${width / 2} y=${head < HEAD ? 18 : 17}>${titleOf(group)}</text>
    ${head < HEAD ? nothing : svg`<text aria-hidden="true" class="op" x=${width / 2} y="31">${under(group)}</text>`}
    ${lines.length ? svg`<line class="rule" x1="0" x2=${width} y1=${head - 2} y2=${head - 2}></line>` : nothing}
    ${lines.map(
      ([name, text], i) => svg`<text aria-hidden="true" class="line" x="10" y=${head + 11 + i * LINE}>${name}</text>
      <text aria-hidden="true" class="value" x=${width - 10} y=${head + 11 + i * LINE}>${text}</text>
      `,
    )}
  </g>
  ${callsIn(group).map(
    (
      call,
      i,
    ) => svg`<g class="enter ${isPale ? 'pale' : ''}" tabindex="-1" role="button" aria-label=${`go into ${callText(call)}`}
      transform="translate(${left + 6} ${up + top + i * CALL})" @click=${() => enter(call.function)}>
      <title>${plain(call.function)}: see its graph</title>
      <rect width=${width - 12} height=${CALL - 3}></rect>
      <text aria-hidden="true" x=${(width - 12) / 2} y="14">${callText(call)}</text>
    </g>`,
  )}`;
}

/** An open scope. @param {any} frame @param {Actions} actions */
const frame = ({ id, x, y, width, height }, { fold }) =>
  svg`<g class="frame" tabindex="-1" role="button" data-id=${id} aria-label=${`fold ${plain(id)}`} transform="translate(${x} ${y})" @click=${() => fold(id)}>
    <title>${plain(id)}: fold it</title>
    <rect width=${width} height=${height}></rect>
  </g>`;

/** Its name, which hides the edges below it. @param {any} frame */
function frameName({ id, x, y }) {
  const name = `− ${short(id.slice(id.lastIndexOf('/') + 1))}`;
  return svg`<rect class="scope" x=${x + 4} y=${y + 2} width=${Math.round(8 + SMALL * name.length)} height="16"></rect>
    <text class="scope" aria-hidden="true" x=${x + 8} y=${y + 14}>${name}</text>`;
}

/** Through the points, without corners. @param {{ x: number, y: number }[]} points */
function curve(points) {
  const [first, ...rest] = points;
  if (!first) return '';
  const at = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  let path = `M${at(first.x)} ${at(first.y)}`;
  rest.forEach((p, i) => {
    const next = rest[i + 1];
    path += next
      ? `Q${at(p.x)} ${at(p.y)} ${at((p.x + next.x) / 2)} ${at((p.y + next.y) / 2)}`
      : `L${at(p.x)} ${at(p.y)}`;
  });
  return path;
}

/** Where an edge leaves the lower end of its box, or the side. @param {any} edge @param {any} layout */
function leaving({ from, points: [start, next = start] }, { boxes, heights }) {
  const down = boxes[from].y + heights[from] / 2 - start.y;
  const along = next.y - start.y > down && down > 0 ? down / (next.y - start.y) : 0;
  return [{ x: start.x + (next.x - start.x) * along, y: start.y + (next.y - start.y) * along }, next];
}

/**
 * Shapes are written once below each box, or on each edge if they differ.
 *
 * @param {any[]} edges @param {Layout} layout
 */
function shapesOf(edges, layout) {
  /** @type {Map<string, any[]>} */
  const from = new Map();
  for (const edge of edges)
    if (edge.shape && edge.points.length) from.set(edge.from, [...(from.get(edge.from) ?? []), edge]);
  return [...from.values()].flatMap((all) => {
    const alike = all.every(({ shape }) => shape === all[0].shape);
    return (alike ? all.slice(0, 1) : all).map((edge) => {
      const { shape } = edge;
      const [start, next] = leaving(edge, layout);
      const along = alike ? 0 : Math.min(1, 26 / Math.max(1, Math.abs(next.y - start.y)));
      return svg`<text class="shape" aria-hidden="true" x=${start.x + (next.x - start.x) * along + 5} y=${start.y + (alike ? 12 : (next.y - start.y) * along)}>${short(shape)}</text>`;
    });
  });
}

/** The boxes that are followed, those of a path in its order; and its ends.
 * @typedef {{ boxes: string[], ends: string[] }} Trail */

/** Which edges are highlighted. @param {string} chosen @param {Trail | undefined} trail
 * @returns {(from: string, to: string) => boolean} */
function litBy(chosen, trail) {
  if (!trail) return (from, to) => from === chosen || to === chosen;
  const places = new Map(trail.boxes.map((id, i) => [id, i]));
  const isPath = trail.ends.length > 1;
  return (from, to) => {
    const [a, b] = [places.get(from), places.get(to)];
    return a !== undefined && b !== undefined && (!isPath || b === a + 1);
  };
}

/** From the top, as they are read aloud. @param {Group[]} groups @param {Layout} layout */
function inOrder(groups, { boxes }) {
  const place = (/** @type {Group} */ { id }) => boxes[id] ?? { x: 0, y: 0 };
  return [...groups].sort((a, b) => place(a).y - place(b).y || place(a).x - place(b).x);
}

/**
 * All of it, to be put into an svg.
 *
 * @param {{ groups: Group[], edges: any[], layout: Layout }} drawn
 * @param {{ chosen: string, trail?: Trail, colourOf: import('./graph-colours.js').Colours['of'],
 *   signOf?: (group: Group) => string }} state
 * @param {Actions} actions
 */
export function drawing({ groups, edges, layout }, { chosen, trail, colourOf, signOf = () => '' }, actions) {
  const isLit = litBy(chosen, trail);
  const isPale = (/** @type {string} */ id) => !!trail && !trail.boxes.includes(id);
  const known = new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge]));
  const laid = layout.edges.map((edge) => ({ ...edge, ...known.get(`${edge.from}\n${edge.to}`) }));
  const start = groups.some(({ id }) => id === chosen)
    ? chosen
    : ((groups.find(({ is }) => is === 'argument') ?? groups[0])?.id ?? '');
  return html`${svg`<defs>
      <marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0L8 4L0 8Z"></path>
      </marker>
    </defs>`}
  ${layout.frames.map((one) => frame(one, actions))}
  ${laid.map(
    ({ from, to, control, points }) => svg`<path marker-end="url(#to)"
      class="${control ? 'control' : ''} ${isLit(from, to) ? 'lit' : trail ? 'pale' : ''}" d=${curve(points)}></path>`,
  )}
  ${shapesOf(laid, layout)} ${layout.frames.map(frameName)}
  ${inOrder(groups, layout).map((group) => {
    const state = { chosen, start, isPale: isPale(group.id), colour: colourOf(group), sign: signOf(group) };
    return box(group, layout.boxes[group.id] ?? { x: 0, y: 0 }, state, actions);
  })}`;
}
