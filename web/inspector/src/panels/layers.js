/** The Keras layers: their tree, shapes, parameters, and what they are connected to. */
import { css, html, nothing } from 'lit';
import { count, counted, plain, shape } from '../format.js';
import { pager, Panel } from '../panel.js';

/** What of a layer there may be; a column that has nothing is not shown.
 * @type {{ title: string, number?: boolean, of: (l: any) => unknown }[]} */
const columns = [
  {
    title: 'Class',
    of: (l) =>
      html`${plain(l.class ?? l.identifier)}${l.trainable === false ? html` <span class="chip">frozen</span>` : nothing}`,
  },
  { title: 'Input', of: (l) => l.input_shape && html`<span class="type">${shapes(l.input_shape)}</span>` },
  {
    title: 'Type',
    of: (l) =>
      l.dtype &&
      html`<span class="type">${plain(typeof l.dtype === 'string' ? l.dtype : JSON.stringify(l.dtype))}</span>`,
  },
  { title: 'Parameters', number: true, of: parameters },
  {
    title: 'From',
    of: (l) => l.inputs?.length && sources(l.inputs).map((name) => html`<code class="chip">${plain(name)}</code>`),
  },
];

class Layers extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      .indent {
        display: inline-block;
        width: 1.3rem;
        height: 1.2rem;
        border-left: 1px solid var(--line);
        margin-left: 0.3rem;
        vertical-align: middle;
      }
      td:first-child {
        white-space: nowrap;
      }
    `,
  ];
  static properties = { ...Panel.properties, first: { state: true } };

  constructor() {
    super();
    this.first = 0;
  }

  #layers = this.asking(
    ([session, at, first], { signal }) => session.ask('layers', { ...(at ? { name: at } : {}), first, signal }),
    () => [this.at, this.first],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at')) this.first = 0;
  }

  render() {
    return html`${this.at ? html`<p>← ${this.link('layers', '', 'All layers')}</p>` : nothing}
    ${this.answer(this.#layers, ({ layers }) => (layers?.total ? this.table(layers) : html`<p class="empty">This model has no Keras layers.</p>`))}`;
  }

  /** @param {any} layers */
  table(layers) {
    const all = layers.items;
    const shown = columns.filter(({ of }) => all.some((/** @type {any} */ l) => of(l)));
    return html` <p>${counted(layers.total, 'layer')}</p>
      <div class="scroll box">
        <table>
          <thead>
            <tr>
              <th>Layer</th>
              ${shown.map(({ title, number }) => html`<th class=${number ? 'number' : ''}>${title}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${all.map(
              (/** @type {any} */ l) =>
                html`<tr>
                  <td>${Array.from({ length: l.depth }, () => html`<span class="indent"></span>`)}${this.#name(l)}</td>
                  ${shown.map(({ number, of }) => html`<td class=${number ? 'number' : ''}>${of(l) || nothing}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${pager(layers, (first) => (this.first = first))}`;
  }

  /** @param {any} l */
  #name(l) {
    const name = l.name ?? l.path;
    return this.session.about.kind === 'saved_model' ? this.link('objects', l.path, name) : plain(name);
  }
}

/** A shape, or a list or object of them. @param {any} value @returns {string} */
function shapes(value) {
  if (!Array.isArray(value)) return plain(JSON.stringify(value));
  return value.every((d) => d === null || typeof d === 'number') ? shape(value) : value.map(shapes).join(', ');
}

/** Which layers it is called with, in any of its calls. @param {{ layer: string }[][]} calls */
const sources = (calls) => [...new Set(calls.flat().map(({ layer }) => layer))];

/** @param {any} l */
function parameters(l) {
  if (l.parameters_complete) return count(l.parameters);
  return l.parameters ? `≥ ${count(l.parameters)}` : html`<span class="dim">unknown</span>`;
}

customElements.define('cpb-layers', Layers);
