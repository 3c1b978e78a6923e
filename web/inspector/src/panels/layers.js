/** The Keras layers: their tree, shapes, parameters, and what they are connected to. */
import { css, html, nothing } from 'lit';
import { count, counted, plain, shape } from '../format.js';
import { pager, Panel } from '../panel.js';

class Layers extends Panel {
  static styles = [...Panel.styles, css`.indent { display: inline-block; width: 1.3rem; border-left: 1px solid var(--line); margin-left: .3rem; height: 1.1rem; vertical-align: middle; } td:first-child { white-space: nowrap; }`];
  static properties = { ...Panel.properties, first: { state: true } };

  constructor() {
    super();
    this.first = 0;
  }

  #layers = this.asking(([session, first], { signal }) => session.ask('layers', { first, signal }), () => [this.first]);

  render() {
    return this.answer(this.#layers, ({ layers }) => layers?.total ? html`
      <p>${counted(layers.total, 'layer')}</p>
      <div class="scroll box"><table>
        <thead><tr><th>Layer</th><th>Class</th><th>Input</th><th class="number">Parameters</th><th>Type</th><th>From</th></tr></thead>
        <tbody>${layers.items.map((/** @type {any} */ l) => this.row(l, layers.items))}</tbody>
      </table></div>
      ${pager(layers, (first) => (this.first = first))}
    ` : html`<p class="empty">This model has no Keras layers.</p>`);
  }

  /** @param {any} l @param {any[]} all */
  row(l, all) {
    const from = (l.inputs ?? []).map((/** @type {any} */ input) => input.layer ?? input.name ?? input);
    return html`<tr>
      <td>${Array.from({ length: l.depth }, () => html`<span class="indent"></span>`)}${this.link('objects', l.path, l.name ?? l.path)}</td>
      <td>${plain(l.class ?? l.identifier)}${l.trainable === false ? html` <span class="chip">frozen</span>` : nothing}</td>
      <td class="type">${l.input_shape ? shape(l.input_shape) : ''}</td>
      <td class="number">${l.parameters_complete ? count(l.parameters) : html`<span title="as far as it is known">${l.parameters ? `≥ ${count(l.parameters)}` : '?'}</span>`}</td>
      <td class="type">${l.dtype ?? ''}</td>
      <td>${from.map((/** @type {any} */ name) => html`<code class="chip">${plain(nameOf(name, all))}</code>`)}</td>
    </tr>`;
  }
}

/** @param {any} name a layer's name or its index @param {any[]} all */
const nameOf = (name, all) =>
  typeof name === 'number' ? (all.find((l) => l.index === name)?.name ?? name) : name;

customElements.define('cpb-layers', Layers);
