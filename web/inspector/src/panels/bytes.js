/** Where the bytes are: constants or parameters as a treemap, by name scope. */
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { css, html, nothing, svg } from 'lit';
import { arrows } from '../arrows.js';
import { count, plain, size, shape } from '../format.js';
import { Panel } from '../panel.js';
import '../tensor.js';

/** As many as are shown; the rest is smaller than any of them. */
const MOST = 300;
const ROWS = 100;
/** Scopes that have a colour of their own: the largest; the last is for the others. */
const COLOURS = 8;

class Bytes extends Panel {
  static properties = { ...Panel.properties, width: { state: true } };
  static styles = [
    ...Panel.styles,
    css`
      svg {
        width: 100%;
        height: auto;
        border-radius: 10px;
        display: block;
      }
      g {
        cursor: pointer;
      }
      rect {
        stroke: var(--page);
        stroke-width: 1;
        fill: var(--hue);
        fill-opacity: 0.3;
      }
      .c0 {
        --hue: light-dark(#2563eb, #7aa2ff);
      }
      .c1 {
        --hue: light-dark(#0d9488, #3dd6c4);
      }
      .c2 {
        --hue: light-dark(#c2570c, #ffab6b);
      }
      .c3 {
        --hue: light-dark(#9333ea, #c99bff);
      }
      .c4 {
        --hue: light-dark(#4d7c0f, #a9d65c);
      }
      .c5 {
        --hue: light-dark(#be185d, #ff8fbd);
      }
      .c6 {
        --hue: light-dark(#a16207, #f0cb5a);
      }
      .c7 {
        --hue: light-dark(#64748b, #a8b6c9);
      }
      g:hover rect,
      g[aria-pressed='true'] rect {
        fill-opacity: 0.55;
      }
      g:focus-visible {
        outline: none;
      }
      g:is([aria-pressed='true'], :focus-visible) rect {
        stroke: var(--text);
        stroke-width: 2;
      }
      text {
        font:
          12px system-ui,
          sans-serif;
        fill: var(--text);
        pointer-events: none;
      }
      text.size {
        font-size: 10.5px;
        opacity: 0.85;
        font-variant-numeric: tabular-nums;
      }
      .keys {
        display: flex;
        flex-wrap: wrap;
        gap: 0.2rem 1.1rem;
        margin: 0.6rem 0 0;
        font-size: 0.85rem;
        color: var(--dim);
      }
      .keys i {
        display: inline-block;
        width: 0.8em;
        height: 0.8em;
        border-radius: 3px;
        background: var(--hue);
        opacity: 0.6;
        margin-right: 0.4em;
      }
    `,
  ];

  constructor() {
    super();
    this.width = 1000;
  }

  #constants = this.asking(([session], { signal }) => session.ask('constants', { count: MOST, signal }));
  #watch = new ResizeObserver(([entry]) =>
    requestAnimationFrame(() => (this.width = Math.max(320, Math.round(entry?.contentRect.width ?? 1000)))),
  );

  connectedCallback() {
    super.connectedCallback();
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#watch.disconnect();
  }

  render() {
    return this.answer(this.#constants, (answer) => {
      const { items, total } = answer.constants ?? answer.parameters;
      const list = items.map((/** @type {any} */ one) => ({ ...one, size: one.size ?? one.entry_bytes ?? 0 }));
      if (!list.length)
        return html`<p class="empty">
          The graph has no constants. The values of variables are stored in separate files beside the model: each
          variable in the Objects panel shows its own.
        </p>`;
      const selected = list.find((/** @type {any} */ one) => keyOf(one) === this.at);
      return html`
        <div class="bar">
          <p>
            <strong>${size(answer.size ?? sumOf(list))}</strong> in ${count(total)}
            ${answer.parameters ? 'parameters' : 'constants'}${list.length < total ? `; the largest ${MOST} are shown` : ''}
          </p>
          ${selected ? nothing : html`<p class="dim">Choose one to see its values.</p>`}
        </div>
        ${this.map(list)}
        ${selected ? html`<cpb-tensor .session=${this.session} .tensor=${selected}></cpb-tensor>` : nothing}
        ${this.table(list)}
      `;
    });
  }

  /** @param {any[]} list */
  map(list) {
    const [width, height] = [this.width, Math.round(Math.min(460, Math.max(260, this.width * 0.45)))];
    const root = hierarchy(scopes(list))
      .sum((/** @type {any} */ d) => d.size ?? 0)
      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    treemap().tile(treemapSquarify).size([width, height]).paddingInner(2).round(true)(/** @type {any} */ (root));
    const leaves = root.leaves();
    const keys = keysOf(branching(root).children ?? []);
    const colour = (/** @type {any} */ leaf) => {
      const key = keys.of.get(leaf.ancestors().find((/** @type {any} */ one) => keys.of.has(one)));
      return Math.min(COLOURS - 1, keys.names.indexOf(key ?? ''));
    };
    const start = leaves.find((/** @type {any} */ leaf) => keyOf(leaf.data.one) === this.at) ?? leaves[0];
    const names = distinct(leaves.map((/** @type {any} */ { data }) => data.one.node ?? data.one.name));
    return html`<svg
        viewBox="0 0 ${width} ${height}"
        role="group"
        aria-label="By size: arrow keys go from one to the next"
        @keydown=${arrows}
      >
        ${leaves.map((/** @type {any} */ leaf, i) => this.leaf(leaf, names[i] ?? '', colour(leaf), leaf === start))}
      </svg>
      ${
        keys.names.length > 1
          ? html`<div class="keys">
              ${keys.names.slice(0, COLOURS).map((name, i) => html`<span class="c${i}"><i></i>${i === COLOURS - 1 && keys.names.length > COLOURS ? 'others' : plain(name)}</span>`)}
            </div>`
          : nothing
      }`;
  }

  /** @param {any} leaf @param {string} label @param {number} colour @param {boolean} start */
  leaf({ x0, y0, x1, y1, data: { one } }, label, colour, start) {
    const name = plain(one.node ?? one.name);
    const [width, height] = [x1 - x0, y1 - y0];
    return svg`<g class="c${colour}" tabindex=${start ? 0 : -1} role="button" aria-pressed=${keyOf(one) === this.at}
        @click=${() => this.go('bytes', keyOf(one))}>
      <title>${name}, ${size(one.size)}</title>
      <rect x=${x0} y=${y0} width=${width} height=${height} rx="3"></rect>
      ${width > 54 && height > 20 ? svg`<text aria-hidden="true" x=${x0 + 7} y=${y0 + 17}>${fitted(label, width - 12)}</text>` : nothing}
      ${width > 54 && height > 38 ? svg`<text aria-hidden="true" class="size" x=${x0 + 7} y=${y0 + 32}>${size(one.size)}</text>` : nothing}
    </g>`;
  }

  /** @param {any[]} list */
  table(list) {
    const inside = list.some((one) => one.function);
    return html`<div class="scroll box">
        <table>
          <thead>
            <tr>
              <th>Name</th>
              ${inside ? html`<th>In</th>` : nothing}
              <th>Type</th>
              <th class="number">Size</th>
            </tr>
          </thead>
          <tbody>
            ${list.slice(0, ROWS).map(
              (one) =>
                html`<tr>
                  <td>${this.link('bytes', keyOf(one), one.node ?? one.name)}</td>
                  ${inside ? html`<td>${one.function ? this.link('functions', one.function) : html`<span class="dim">the graph</span>`}</td>` : nothing}
                  <td><span class="type">${one.dtype}${shape(one.shape)}</span></td>
                  <td class="number">${size(one.size)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${list.length > ROWS ? html`<p class="dim small">The table lists the largest ${ROWS}.</p>` : nothing}`;
  }
}

const keyOf = (/** @type {any} */ one) => (one.function ? `${one.function}:${one.node}` : (one.node ?? one.name));
const sumOf = (/** @type {any[]} */ list) => list.reduce((sum, one) => sum + one.size, 0);

/** The first that has more than one in it. @param {any} node @returns {any} */
function branching(node) {
  while (node.children?.length === 1 && node.children[0].children) [node] = node.children;
  return node;
}

/** What has a colour of its own: each scope, or of many, those whose names begin alike; the largest first.
 * @param {any[]} tops */
function keysOf(tops) {
  const alike = (/** @type {string} */ name) => (tops.length > COLOURS ? (/^.[^_.]*/.exec(name)?.[0] ?? name) : name);
  const of = new Map(tops.map((top) => [top, alike(top.data.name)]));
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const [top, key] of of) sizes.set(key, (sizes.get(key) ?? 0) + top.value);
  return { of, names: [...sizes.keys()].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)) };
}

/** Names without what all of them begin and end with, by whole parts. @param {string[]} names */
function distinct(names) {
  const paths = names.map((name) => name.split('/'));
  const [first = []] = paths;
  const least = Math.min(...paths.map((path) => path.length)) - 1;
  let [head, tail] = [0, 0];
  while (head < least && paths.every((path) => path[head] === first[head])) head++;
  while (tail < least - head && paths.every((path) => path.at(-1 - tail) === first.at(-1 - tail))) tail++;
  return paths.map((path) => path.slice(head, path.length - tail).join('/'));
}

/** As much of a name as fits. @param {string} name @param {number} width */
const fitted = (name, width) => {
  const most = Math.floor(width / 7);
  const text = plain(name);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

/** A tree of name scopes. @param {any[]} list */
function scopes(list) {
  /** @type {any} */
  const root = { name: '', children: [], by: new Map() };
  for (const one of list) {
    const path = [one.function, ...(one.node ?? one.name).split('/')].filter(Boolean);
    let at = root;
    for (const part of path.slice(0, -1)) {
      if (!at.by.has(part)) {
        const scope = { name: part, children: [], by: new Map() };
        at.by.set(part, scope);
        at.children.push(scope);
      }
      at = at.by.get(part);
    }
    at.children.push({ name: path.at(-1), size: one.size, one });
  }
  return root;
}

customElements.define('cpb-bytes', Bytes);
