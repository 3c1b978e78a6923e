/** The graph, or a function's, folded by name scope; what is shown is laid out in a worker. */
import { css, html, nothing, svg } from 'lit';
import { count, counted } from '../format.js';
import { layOut } from '../layout.js';
import { Panel } from '../panel.js';
import { folded, nodesOf } from '../scopes.js';

const HEIGHT = 34;
const PAGE = 1000;
/** Nodes of one scope that are fetched; boxes that are drawn. */
const [MOST, DRAWN] = [20_000, 400];

class Graph extends Panel {
  static properties = { ...Panel.properties, open: { state: true }, selected: { state: true }, scope: { state: true } };
  static styles = [
    ...Panel.styles,
    css`
      .view { overflow: auto; max-height: 70vh; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
      rect { fill: var(--page); stroke: var(--line); rx: 6; }
      .scope rect { fill: var(--chip); }
      g.box { cursor: pointer; }
      g.box[aria-pressed='true'] rect, g.box:focus-visible rect { stroke: var(--accent); stroke-width: 2; }
      g.box:focus-visible { outline: none; }
      text { font: 12px system-ui, sans-serif; fill: var(--text); text-anchor: middle; pointer-events: none; }
      text.op { fill: var(--dim); font-size: 10px; }
      path { fill: none; stroke: var(--dim); stroke-opacity: .55; }
      path.control { stroke-dasharray: 4 3; }
    `,
  ];

  constructor() {
    super();
    /** @type {Set<string>} */
    this.open = new Set();
    this.selected = '';
    this.scope = '';
  }

  #nodes = this.asking(
    async ([session, at, scope], { signal }) => {
      const nodes = [];
      let total = Infinity;
      while (nodes.length < Math.min(total, MOST)) {
        const { nodes: list, operations: page = list } = await session.ask('nodes', { name: at || undefined, scope: scope || undefined, first: nodes.length, count: PAGE, signal });
        nodes.push(...page.items);
        total = page.total;
        if (!page.items.length) break;
      }
      return { nodes: this.#named ? nodes : nodesOf(nodes), total };
    },
    () => [this.at, this.scope],
  );
  #layout = this.asking(
    async () => {
      const all = this.#nodes.value;
      if (!all) return undefined;
      const { groups, edges } = folded(all.nodes, this.open);
      if (groups.length > DRAWN) return { groups, edges, layout: undefined };
      const boxes = groups.map((g) => ({ id: g.id, width: widthOf(g), height: HEIGHT }));
      return { groups, edges, layout: await layOut(boxes, edges) };
    },
    () => [this.#nodes.value, this.open],
  );

  /** Whether nodes are asked for by a part of their names. */
  get #named() {
    return !this.session.model.kind.startsWith('samediff');
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('at')) return;
    this.open = new Set();
    this.selected = this.scope = '';
  }

  render() {
    return html`
      <p>
        ${this.at ? html`Function ${this.link('functions', this.at)} · ${this.link('graph', '', 'the main graph')}` : 'The main graph'}
        ${this.#named
          ? html`<label> · only names that begin with <input .value=${this.scope} @change=${(/** @type {any} */ e) => (this.scope = e.target.value)} /></label>`
          : nothing}
      </p>
      ${this.answer(this.#nodes, ({ nodes, total }) => html`
        <p class="dim">${counted(total, 'node')}${nodes.length < total ? `, of which the first ${count(nodes.length)} are here: narrow it by a name` : ''}. Open a scope to see what is in it.
          ${this.open.size ? html`<button @click=${() => (this.open = new Set())}>Fold all</button>` : nothing}</p>
        ${this.answer(this.#layout, (drawn) => (drawn ? this.drawing(drawn) : nothing))}
      `)}
    `;
  }

  /** @param {any} drawn */
  drawing({ groups, edges, layout }) {
    if (!layout) return html`<p>${counted(groups.length, 'box', 'boxes')} are too many to draw: fold some, or narrow it by a name.</p>`;
    const selected = groups.find((/** @type {any} */ g) => g.id === this.selected);
    const control = new Set(edges.filter((/** @type {any} */ e) => e.control).map((/** @type {any} */ e) => `${e.from}\n${e.to}`));
    return html`
      <div class="view">
        <svg width=${layout.width} height=${layout.height} role="group" aria-label="Graph">
          ${layout.edges.map((/** @type {any} */ e) => svg`<path class=${control.has(`${e.from}\n${e.to}`) ? 'control' : ''} d=${line(e.points)}></path>`)}
          ${groups.map((/** @type {any} */ g) => this.box(g, layout.boxes[g.id]))}
        </svg>
      </div>
      ${selected ? this.detail(selected) : nothing}
    `;
  }

  /** @param {import('../scopes.js').Group} group @param {{ x: number, y: number }} at */
  box(group, { x, y }) {
    const width = widthOf(group);
    const act = () => (group.op ? (this.selected = group.id) : this.#unfold(group.id));
    return svg`<g class="box ${group.op ? '' : 'scope'}" tabindex="0" role="button" aria-pressed=${group.id === this.selected}
        aria-label=${group.op ? `${group.label}, ${group.op}` : `scope ${group.label} of ${group.nodes.length} nodes`}
        transform="translate(${x - width / 2} ${y - HEIGHT / 2})" @click=${act}
        @keydown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Enter' && act()}>
      <title>${group.id}</title>
      <rect width=${width} height=${HEIGHT}></rect>
      <text x=${width / 2} y="15">${short(group.label)}</text>
      <text class="op" x=${width / 2} y="28">${group.op ?? counted(group.nodes.length, 'node')}</text>
    </g>`;
  }

  /** @param {string} scope */
  #unfold(scope) {
    this.open = new Set([...this.open, scope]);
    this.selected = scope;
  }

  /** @param {import('../scopes.js').Group} group */
  detail({ nodes: [node] }) {
    if (!node) return nothing;
    const called = node.attributes.filter(({ kind }) => kind === 'function');
    return html`<h3><code>${node.name}</code> <span class="dim">${node.op}</span></h3>
      ${called.map(({ name, value }) => html`<p>${name}: ${this.link('functions', value?.name ?? String(value))}</p>`)}
      ${node.inputs.length ? html`<p>Inputs ${node.inputs.map((i) => html`<code class="chip">${i}</code>`)}</p>` : nothing}
      ${node.control_inputs.length ? html`<p>Control inputs ${node.control_inputs.map((i) => html`<code class="chip">${i}</code>`)}</p>` : nothing}
      <div class="scroll"><table><tbody>
        ${node.attributes.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td><code>${typeof value === 'string' ? value : JSON.stringify(value)}</code></td></tr>`)}
      </tbody></table></div>`;
  }
}

const short = (/** @type {string} */ label) => (label.length > 28 ? `${label.slice(0, 13)}…${label.slice(-13)}` : label);
const widthOf = (/** @type {any} */ g) => 24 + 7 * Math.max(short(g.label).length, g.op?.length ?? 8);
const line = (/** @type {{ x: number, y: number }[]} */ points) => points.map(({ x, y }, i) => `${i ? 'L' : 'M'}${x} ${y}`).join('');

customElements.define('cpb-graph', Graph);
