/** The overview: what the model is, and the way to everything else. */
import { html, nothing } from 'lit';
import { count, counted, size, tensor } from '../format.js';
import { Panel } from '../panel.js';

const card = (/** @type {unknown} */ value, /** @type {string} */ label) =>
  value === undefined || value === null ? nothing : html`<div class="card"><b>${value}</b><span class="dim">${label}</span></div>`;

/** @param {{ name: string, dtype: string, shape: any }[]} tensors */
const tensors = (tensors) =>
  tensors.map((one) => html`<div><code>${one.name}</code> <span class="dim">${tensor(one)}</span></div>`);

class Overview extends Panel {
  #overview = this.asking(([session], { signal }) => session.ask('overview', { signal }));

  render() {
    return this.answer(this.#overview, (answer) =>
      answer.kind === 'saved_model' ? this.savedModel(answer) : answer.tags ? this.samediff(answer) : this.other(answer),
    );
  }

  /** @param {any} o */
  savedModel(o) {
    const graph = o.meta_graphs.items.find((/** @type {any} */ g) => g.number === o.meta_graph) ?? {};
    return html`
      <div class="cards">
        ${card(graph.tensorflow_version ?? '?', 'TensorFlow')}
        ${card(graph.tags?.join(', ') || 'none', o.meta_graphs.total > 1 ? `tags, first of ${o.meta_graphs.total} graphs` : 'tags')}
        ${o.variables?.elements === undefined
          ? card(o.variables?.total, 'variables')
          : html`${card(count(o.variables.elements), `elements in ${counted(o.variables.total, 'variable')}`)}
              ${card(size(o.variables.size), 'in variables')}`}
        ${card(o.objects && count(o.objects.total), 'objects')}
        ${card(o.concrete_functions, 'concrete functions')}
        ${card(graph.graph && size(graph.graph.size), 'graph and functions')}
        ${card(o.keras?.identifier, 'Keras')}
      </div>
      ${o.ops.custom.length
        ? html`<p>Operations that TensorFlow does not have: ${o.ops.custom.map((/** @type {string} */ op) => html`<code class="chip">${op}</code>`)}</p>`
        : nothing}
      <h2>Signatures</h2>
      <div class="scroll"><table>
        <thead><tr><th>Key</th><th>Inputs</th><th>Outputs</th></tr></thead>
        <tbody>
          ${o.signatures.items.map(
            (/** @type {any} */ s) => html`<tr>
              <td>${this.link('signatures', s.key)}</td>
              <td>${tensors(s.inputs)}</td>
              <td>${tensors(s.outputs)}</td>
            </tr>`,
          )}
        </tbody>
      </table></div>
      ${o.assets.total ? html`<h2>Assets</h2><ul>${o.assets.items.map((/** @type {any} */ a) => html`<li><code>${a.file}</code></li>`)}</ul>` : nothing}
    `;
  }

  /** @param {any} o */
  samediff(o) {
    return html`
      <div class="cards">
        ${card(o.format, size(o.bytes))}
        ${card(o.default_tag, 'default tag')}
        ${card(count(o.graph.operations), 'operations')}
        ${card(count(o.graph.variables), 'variables')}
      </div>
      <div class="scroll"><table>
        <thead><tr><th>Tag</th><th class="number">Graph</th><th class="number">Parameters</th><th class="number">Updater state</th></tr></thead>
        <tbody>
          ${o.tags.items.map(
            (/** @type {any} */ t) => html`<tr>
              <td>${t.tag}${t.default ? html` <span class="chip">default</span>` : nothing}</td>
              <td class="number">${size(t.graph_bytes)}</td>
              <td class="number">${t.parameters.files}: ${size(t.parameters.bytes)}</td>
              <td class="number">${size(t.updater.bytes)}</td>
            </tr>`,
          )}
        </tbody>
      </table></div>
      <h2>Inputs</h2>${tensors(o.graph.inputs)}
      <h2>Outputs</h2>${tensors(o.graph.outputs)}
    `;
  }

  /** Any other kind: its fields, as they are. @param {any} o */
  other({ problems, ...o }) {
    return html`<pre class="mono scroll">${JSON.stringify(o, null, 2)}</pre>`;
  }
}
customElements.define('cpb-overview', Overview);
