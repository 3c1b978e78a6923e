/** The graph, or a function's, folded by name scope; what is shown is laid out in a worker. */
import { css, html, nothing, svg } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { arrows } from '../arrows.js';
import { count, counted, plain } from '../format.js';
import { layOut } from '../layout.js';
import { pager, Panel } from '../panel.js';

/** @typedef {import('../model/gather.js').Group} Group */

const HEIGHT = 40;
/** More boxes than this are not drawn. */
const MOST = 600;
const MEMBERS = 50;
const USERS = 25;
/** To fit into a narrow page it is not made smaller than this. */
const SMALLEST = 0.6;
/** What a drawing leaves beside it, of a page's width. */
const SCROLLBAR = 20;

class Graph extends Panel {
  static properties = {
    ...Panel.properties,
    open: { state: true },
    group: { state: true },
    first: { state: true },
    firstUser: { state: true },
    zoom: { state: true },
  };
  static styles = [
    ...Panel.styles,
    css`
      .parts {
        display: grid;
        gap: 1rem;
        grid-template-columns: minmax(0, 1fr);
        align-items: start;
      }
      @container (max-width: 56rem) {
        .parts.two .view {
          max-height: 46vh;
        }
      }
      @container (min-width: 56rem) {
        .parts.two {
          grid-template-columns: minmax(0, 1fr) 21rem;
        }
      }
      .view {
        overflow: auto;
        max-height: 72vh;
        min-height: 14rem;
        display: grid;
      }
      .view svg {
        margin: auto;
        display: block;
      }
      .side {
        padding: 0.8rem 1rem;
        overflow-wrap: anywhere;
        max-height: 72vh;
        overflow-y: auto;
      }
      .side h3 {
        margin-top: 0;
      }
      .side td,
      .side th {
        padding: 0.3rem 0.4rem;
      }
      .side ul {
        list-style: none;
        padding: 0;
      }
      .side li {
        margin: 0.2rem 0;
      }
      rect {
        rx: 8;
      }
      .frame rect {
        fill: var(--accent);
        fill-opacity: 0.06;
        stroke: var(--accent);
        stroke-opacity: 0.35;
      }
      .frame text {
        font-size: 11px;
        fill: var(--dim);
        text-anchor: start;
      }
      .frame {
        cursor: pointer;
      }
      .node rect {
        fill: var(--panel);
        stroke: var(--dim);
        stroke-opacity: 0.55;
      }
      .scope rect {
        fill: var(--chip);
        stroke: var(--accent);
        stroke-opacity: 0.5;
      }
      :is(.many, .rest) rect {
        fill: var(--row);
        stroke: var(--dim);
        stroke-dasharray: 5 3;
      }
      g.box {
        cursor: pointer;
      }
      g.box:hover rect {
        stroke: var(--accent);
        stroke-opacity: 1;
      }
      g:is([aria-pressed='true'], :focus-visible) > rect {
        stroke: var(--accent);
        stroke-opacity: 1;
        stroke-width: 2.5;
      }
      g:focus-visible {
        outline: none;
      }
      text {
        font:
          12.5px system-ui,
          sans-serif;
        fill: var(--text);
        text-anchor: middle;
        pointer-events: none;
      }
      text.op {
        fill: var(--dim);
        font-size: 10.5px;
      }
      path {
        fill: none;
        stroke: var(--dim);
        stroke-opacity: 0.5;
      }
      path.control {
        stroke-dasharray: 4 3;
      }
      path.lit {
        stroke: var(--accent);
        stroke-opacity: 1;
        stroke-width: 2;
      }
      marker path {
        fill: var(--dim);
        stroke: none;
      }
      .tools {
        margin-left: auto;
        display: flex;
        gap: 0.3rem;
      }
      .tools button {
        padding: 0.15rem 0.6rem;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Set<string>} */
    this.open = new Set();
    /** what of the drawing is chosen, besides a node */
    this.group = '';
    this.first = this.firstUser = 0;
    this.zoom = 1;
  }

  /** @type {string | null} what was brought into view */
  #seen = null;

  #graph = this.asking(
    ([session, at, open], { signal }) => session.look('graph', { name: at, open: [...open], signal }),
    () => [this.at, this.open],
  );
  #layout = this.asking(
    async ([, drawn], { signal }) => {
      if (!drawn || drawn.groups.length > MOST) return undefined;
      const boxes = drawn.groups.map((/** @type {Group} */ g) => ({
        id: g.id,
        width: widthOf(g),
        height: HEIGHT,
        frames: framesOf(g.scope),
      }));
      const known = new Set(drawn.groups.map((/** @type {Group} */ g) => g.id));
      const exits = new Set(
        drawn.edges.map((/** @type {any} */ e) => e.from).filter((/** @type {string} */ from) => !known.has(from)),
      );
      for (const id of exits) boxes.push({ id, width: 1, height: 1, frames: framesOf(id).slice(0, -1) });
      return { groups: drawn.groups, edges: drawn.edges, layout: await layOut(boxes, drawn.edges, signal) };
    },
    () => [this.#graph.value],
  );
  #detail = this.asking(
    ([session, at, node], { signal }) => (node ? session.look('node', { name: at, node, signal }) : undefined),
    () => [this.at, this.node],
  );
  #users = this.asking(
    ([session, at, node, first], { signal }) =>
      node ? session.look('users', { name: at, node, first, count: USERS, signal }) : undefined,
    () => [this.at, this.node, this.firstUser],
  );
  #members = this.asking(
    ([session, at, group, open, first], { signal }) =>
      group ? session.look('members', { name: at, group, open: [...open], first, count: MEMBERS, signal }) : undefined,
    () => [this.at, this.group, this.open, this.first],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at')) {
      this.open = new Set();
      this.group = '';
    }
    if (changed.has('at') || changed.has('node')) this.firstUser = 0;
    if (changed.has('node') && this.node) {
      this.group = '';
      const scopes = framesOf(this.node);
      if (!scopes.every((scope) => this.open.has(scope))) this.open = new Set([...this.open, ...scopes]);
    }
  }

  /** What was chosen elsewhere is brought into view, once it is drawn. */
  updated() {
    const box = this.renderRoot.querySelector('g.box[aria-pressed="true"]');
    const id = box && (this.group || this.node);
    if (id === this.#seen) return;
    this.#seen = id;
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  render() {
    return html`
      <div class="bar">
        <span
          >${this.at ? html`Function ${this.link('functions', this.at)}` : html`<strong>The main graph</strong>`}</span
        >
        ${this.at ? this.link('graph', '', 'the main graph') : nothing}
        ${this.#graph.value ? html`<span class="dim">${this.#said(this.#graph.value)}</span>` : nothing}
        <span class="tools">
          ${this.open.size ? html`<button @click=${() => this.#fold()}>Fold all</button>` : nothing}
          <button aria-label="Smaller" @click=${() => (this.zoom = Math.max(0.2, this.zoom / 1.25))}>−</button>
          <button aria-label="Larger" @click=${() => (this.zoom = Math.min(3, this.zoom * 1.25))}>+</button>
        </span>
      </div>
      ${this.answer(this.#graph, (graph) =>
        graph.groups.length > MOST
          ? html`<p class="empty">
              ${counted(graph.groups.length, 'box', 'boxes')}: too many to draw.
              <button @click=${() => this.#fold()}>Fold all</button>
            </p>`
          : graph.groups.length
            ? this.answer(this.#layout, (drawn) => (drawn ? this.drawing(drawn) : nothing))
            : html`<p class="empty">This graph has no nodes.</p>`,
      )}
    `;
  }

  /** @param {any} graph */
  #said({ total, groups }) {
    const scopes = groups.some((/** @type {Group} */ g) => g.is === 'scope');
    return `${counted(total, 'node')}${scopes ? '. Open a scope to see what is in it.' : ''}`;
  }

  #fold() {
    this.open = new Set();
    this.group = '';
    if (this.node) this.go('graph', this.at);
  }

  /** What is told beside it comes later, and the drawing stays. @param {any} drawn */
  drawing(drawn) {
    const chosen = this.group || this.node;
    return html`<div class="parts ${chosen ? 'two' : ''}">
      <div class="view box">
        ${guard([drawn, chosen, this.zoom, this.offsetWidth], () => this.picture(drawn, chosen))}
      </div>
      ${this.node && !this.group ? html`<section class="side box" aria-label="Node">${this.answer(this.#detail, (node) => this.detail(node))}</section>` : nothing}
      ${this.group ? html`<section class="side box" aria-label="Nodes">${this.answer(this.#members, (list) => this.members(list))}</section>` : nothing}
    </div>`;
  }

  /** @param {any} drawn @param {string} chosen */
  picture({ groups, edges, layout }, chosen) {
    const control = new Set(
      edges.filter((/** @type {any} */ e) => e.control).map((/** @type {any} */ e) => `${e.from}\n${e.to}`),
    );
    const scale = this.zoom * Math.max(SMALLEST, Math.min(1, (this.offsetWidth - SCROLLBAR) / layout.width));
    const start = groups.some((/** @type {Group} */ g) => g.id === chosen) ? chosen : groups[0].id;
    return html`<svg
      viewBox="0 0 ${layout.width} ${layout.height}"
      width=${layout.width * scale}
      height=${layout.height * scale}
      role="group"
      aria-label="Graph: arrow keys go from box to box"
      @keydown=${arrows}
    >
      <defs>
        <marker
          id="to"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z"></path>
        </marker>
      </defs>
      ${layout.frames.map((/** @type {any} */ frame) => this.frame(frame))}
      ${layout.edges.map(
        (/** @type {any} */ { from, to, points }) => svg`<path marker-end="url(#to)"
        class="${control.has(`${from}\n${to}`) ? 'control' : ''} ${from === chosen || to === chosen ? 'lit' : ''}" d=${curve(points)}></path>`,
      )}
      ${groups.map((/** @type {Group} */ g) => this.box(g, layout.boxes[g.id], g.id === start))}
    </svg>`;
  }

  /** An open scope. @param {any} frame */
  frame({ id, x, y, width, height }) {
    const fold = () =>
      (this.open = new Set([...this.open].filter((scope) => scope !== id && !scope.startsWith(`${id}/`))));
    return svg`<g class="frame" tabindex="-1" role="button" aria-label=${`fold ${plain(id)}`} transform="translate(${x} ${y})" @click=${fold}>
      <title>${plain(id)}: fold it</title>
      <rect width=${width} height=${height}></rect>
      <text x="8" y="14">− ${short(id.slice(id.lastIndexOf('/') + 1))}</text>
    </g>`;
  }

  /** @param {Group} group @param {{ x: number, y: number }} at @param {boolean} start */
  box(group, { x, y }, start) {
    const width = widthOf(group);
    const { id, is, label, op } = group;
    const pressed = id === (this.group || this.node);
    return svg`<g class="box ${is}" tabindex=${start ? 0 : -1} role="button" aria-pressed=${is === 'scope' ? nothing : pressed}
        aria-label=${is === 'node' ? `${plain(label)}, ${plain(op)}` : `${is === 'scope' ? 'open scope ' : ''}${plain(label)}, ${counted(group.count, 'node')}`}
        transform="translate(${x - width / 2} ${y - HEIGHT / 2})" @click=${() => this.#choose(group)}>
      <title>${several(group) ? plain(label) : plain(id)}</title>
      <rect width=${width} height=${HEIGHT}></rect>
      <text aria-hidden="true" x=${width / 2} y="17">${is === 'scope' ? '+ ' : ''}${short(label)}${several(group) ? ` × ${count(group.count)}` : ''}</text>
      <text aria-hidden="true" class="op" x=${width / 2} y="31">${under(group)}</text>
    </g>`;
  }

  /** @param {Group} group */
  #choose({ id, is }) {
    if (is === 'scope') {
      this.group = '';
      this.open = new Set([...this.open, ...framesOf(id)]);
    } else if (is === 'node') this.go('graph', this.at, id);
    else [this.group, this.first] = [id, 0];
  }

  /** @param {any} node */
  detail(node) {
    if (!node) return this.at ? this.argument() : html`<p>There is no node with this name.</p>`;
    const { name, op, inputs, control_inputs, attributes } = node;
    const called = attributes.filter((/** @type {any} */ { kind }) => kind === 'function');
    const nodes = (/** @type {string} */ title, /** @type {string[]} */ list) =>
      list.length
        ? html`<h3>${title}</h3>
            <ul>
              ${list.map((one) => html`<li>${this.link('graph', this.at, one, nodeOf(one))}</li>`)}
            </ul>`
        : nothing;
    return html`<h3><code>${plain(name)}</code></h3>
      <p class="dim">${plain(op)}</p>
      ${called.map((/** @type {any} */ { name, value }) => html`<p>${name}: ${this.link('functions', value?.function ?? String(value))}</p>`)}
      ${nodes('Inputs', inputs)} ${nodes('Control inputs', control_inputs)}
      ${this.answer(this.#users, (list) => this.users(list))}
      ${
        attributes.length
          ? html`<h3>Attributes</h3>
              <table>
                <tbody>
                  ${attributes.map(
                    (/** @type {any} */ { name, value }) =>
                      html`<tr>
                        <th scope="row">${plain(name)}</th>
                        <td><code>${plain(typeof value === 'string' ? value : JSON.stringify(value))}</code></td>
                      </tr>`,
                  )}
                </tbody>
              </table>`
          : nothing
      }`;
  }

  /** What is no node of a function may be an argument of it. */
  argument() {
    return this.answer(
      this.#users,
      (list) =>
        html`<h3><code>${plain(this.node)}</code></h3>
          <p class="dim">argument of the function</p>
          ${this.users(list)}`,
    );
  }

  /** @param {any} list */
  users(list) {
    if (!list.total)
      return html`<h3>Used by</h3>
        <p class="dim">nothing</p>`;
    return html`<h3>Used by${list.total > 1 ? ` · ${count(list.total)}` : nothing}</h3>
      <ul>
        ${list.items.map(
          (/** @type {any} */ one) =>
            html`<li>
              ${
                one.is === 'return'
                  ? html`<code>${plain(one.name)}</code>`
                  : this.link('graph', this.at, one.name, one.name)
              } <span class="dim small">${taken(one)}</span>
            </li>`,
        )}
      </ul>
      ${pager(list, (first) => (this.firstUser = first), USERS)}`;
  }

  /** @param {any} list */
  members(list) {
    return html`<h3>${count(list.total)} alike</h3>
      <ul>
        ${list.items.map(
          (/** @type {any} */ one) =>
            html`<li>
              ${
                one.is === 'scope'
                  ? html`<button class="link" @click=${() => this.#choose({ ...one, id: one.name })}>
                        ${plain(one.name)}
                      </button>
                      <span class="dim small">scope</span>`
                  : html`${this.link('graph', this.at, one.name, one.name)}
                      <span class="dim small">${plain(one.op)}</span>`
              }
            </li>`,
        )}
      </ul>
      ${pager(list, (first) => (this.first = first), MEMBERS)}`;
  }
}

/** 'a/b' and all that it is in, the outermost first. @param {string} scope */
const framesOf = (scope) => (scope ? scope.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/')) : []);
/** Of an input such as 'a/b:1', the node. @param {string} input */
const nodeOf = (input) => input.replace(/^\^/, '').replace(/:.*$/, '');
/** How one takes what is looked at, where that says more than that it does. @param {any} consumer */
function taken({ is, inputs, control }) {
  const outputs = [
    ...new Set(
      inputs.flatMap((/** @type {any} */ { index, output }) => (index ? [`${output ?? 'output'} ${index}`] : [])),
    ),
  ];
  return plain(
    [is === 'return' ? 'returned' : '', ...outputs, control && is !== 'return' ? 'control' : '']
      .filter(Boolean)
      .join(', '),
  );
}
/** @param {string} label */
const short = (label) => {
  const text = plain(label);
  return text.length > 28 ? `${text.slice(0, 13)}…${text.slice(-13)}` : text;
};
const several = (/** @type {Group} */ { is }) => is === 'many' || is === 'rest';
const under = (/** @type {Group} */ g) =>
  g.is === 'node'
    ? short(g.op)
    : g.is === 'scope'
      ? counted(g.count, 'node')
      : g.is === 'rest'
        ? 'listed only'
        : 'alike';
const widthOf = (/** @type {Group} */ g) =>
  28 + 7.2 * Math.max(short(g.label).length + (several(g) ? 8 : g.is === 'scope' ? 2 : 0), under(g).length * 0.85);

/** Through the points, without corners. @param {{ x: number, y: number }[]} points */
function curve(points) {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x} ${first.y}`;
  rest.forEach((p, i) => {
    const next = rest[i + 1];
    path += next ? `Q${p.x} ${p.y} ${(p.x + next.x) / 2} ${(p.y + next.y) / 2}` : `L${p.x} ${p.y}`;
  });
  return path;
}

customElements.define('cpb-graph', Graph);
