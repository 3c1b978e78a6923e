/** Where the bytes are: constants or parameters as a treemap, by name scope. */
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { css, html, nothing, svg } from 'lit';
import { count, size, shape } from '../format.js';
import { Panel } from '../panel.js';
import '../tensor.js';

const [WIDTH, HEIGHT] = [960, 480];
/** As many as are shown; the rest is smaller than any of them. */
const MOST = 500;

class Bytes extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      svg { width: 100%; height: auto; border-radius: 8px; background: var(--row); }
      g { cursor: pointer; }
      rect { fill: var(--accent); stroke: var(--page); fill-opacity: .25; }
      g:hover rect, g[aria-pressed='true'] rect { fill-opacity: .55; }
      g:focus-visible { outline: none; }
      g:focus-visible rect { stroke: var(--accent); stroke-width: 2; }
      text { font: 11px system-ui, sans-serif; fill: var(--text); pointer-events: none; }
    `,
  ];

  #constants = this.asking(([session], { signal }) => session.ask('constants', { count: MOST, signal }));

  render() {
    return this.answer(this.#constants, (answer) => {
      const { items, total: all } = answer.constants ?? answer.parameters;
      const list = items.map((/** @type {any} */ one) => ({ ...one, size: one.size ?? one.entry_bytes ?? 0 }));
      if (!list.length) return html`<p>There are no constants in the graph: the values of variables are in other files.</p>`;
      const selected = list.find((/** @type {any} */ one) => keyOf(one) === this.at);
      return html`
        <p>${size(answer.size ?? sumOf(list))} in ${count(all)} ${answer.parameters ? 'parameters' : 'constants'}${list.length === MOST ? `, the largest ${MOST} of them` : ''}</p>
        ${this.map(list)}
        ${selected ? html`<cpb-tensor .session=${this.session} .tensor=${selected}></cpb-tensor>` : html`<p class="dim">Choose one to see its values.</p>`}
        ${this.table(list)}
      `;
    });
  }

  /** @param {any[]} list */
  map(list) {
    const root = hierarchy(scopes(list))
      .sum((/** @type {any} */ d) => d.size ?? 0)
      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    treemap().tile(treemapSquarify).size([WIDTH, HEIGHT]).paddingInner(1).round(true)(/** @type {any} */ (root));
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="Constants by size">
      ${root.leaves().map((/** @type {any} */ leaf) => this.leaf(leaf))}
    </svg>`;
  }

  /** @param {any} leaf */
  leaf({ x0, y0, x1, y1, data: { one } }) {
    const name = one.node ?? one.name;
    const room = x1 - x0 > 60 && y1 - y0 > 18;
    return svg`<g tabindex="0" role="button" aria-pressed=${keyOf(one) === this.at}
        aria-label=${`${name}, ${size(one.size)}`}
        @click=${() => this.go('bytes', keyOf(one))}
        @keydown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Enter' && this.go('bytes', keyOf(one))}>
      <title>${name}: ${size(one.size)}</title>
      <rect x=${x0} y=${y0} width=${x1 - x0} height=${y1 - y0}></rect>
      ${room ? svg`<text x=${x0 + 4} y=${y0 + 14}>${fitted(name, x1 - x0 - 8)}</text>` : nothing}
    </g>`;
  }

  /** @param {any[]} list */
  table(list) {
    return html`<div class="scroll"><table>
      <thead><tr><th>Name</th><th>In</th><th>Type</th><th class="number">Size</th></tr></thead>
      <tbody>
        ${list.slice(0, 100).map(
          (one) => html`<tr>
            <td>${this.link('bytes', keyOf(one), one.node ?? one.name)}</td>
            <td>${one.function ? this.link('functions', one.function) : html`<span class="dim">the graph</span>`}</td>
            <td class="dim">${one.dtype}${shape(one.shape)}</td>
            <td class="number">${size(one.size)}</td>
          </tr>`,
        )}
      </tbody>
    </table></div>`;
  }
}

const keyOf = (/** @type {any} */ one) => (one.function ? `${one.function}:${one.node}` : (one.node ?? one.name));
const sumOf = (/** @type {any[]} */ list) => list.reduce((sum, one) => sum + one.size, 0);

/** As much of a name's end as fits. @param {string} name @param {number} width */
const fitted = (name, width) => {
  const most = Math.floor(width / 6);
  return name.length > most ? `…${name.slice(1 - most)}` : name;
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
