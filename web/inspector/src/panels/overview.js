/** The overview: what the model is, and the way to everything else. */
import { css, html, nothing } from 'lit';
import { count, counted, plain, size, tensor } from '../format.js';
import { Panel } from '../panel.js';

/** @param {unknown} value @param {string} label */
const card = (value, label) =>
  value === undefined || value === null ? nothing : html`<div class="card"><b>${value}</b><span>${label}</span></div>`;

/** @param {{ name: string, dtype: string, shape: any }[] | undefined} list */
const tensors = (list = []) =>
  list.length
    ? list.map(
        (one) =>
          html`<div>
            <code>${plain(one.name)}</code>
            <span class="type">${one.dtype === 'invalid' ? 'runs an operation' : tensor(one)}</span>
          </div>`,
      )
    : html`<span class="dim">none</span>`;

class Overview extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      dl {
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 0.25rem 1.2rem;
        margin: 0.4rem 0;
        font-size: 0.9rem;
      }
      dt {
        color: var(--dim);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      @container (max-width: 40rem) {
        dl {
          grid-template-columns: 1fr;
          gap: 0;
        }
        dd {
          margin-bottom: 0.4rem;
        }
      }
    `,
  ];
  #overview = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  // After the overview, whose requests it shall not hold up.
  #fingerprint = this.asking(
    ([session, overview], { signal }) =>
      overview?.kind === 'saved_model' ? session.look('fingerprint', { signal }) : undefined,
    () => [this.#overview.value],
  );

  render() {
    return this.answer(this.#overview, (answer) => {
      if (answer.kind === 'saved_model') return this.savedModel(answer);
      if (answer.tags) return this.samediff(answer);
      return answer.inputs && answer.outputs ? this.graph(answer) : this.other(answer);
    });
  }

  /** @param {any} o */
  savedModel(o) {
    const graph = o.meta_graphs.items.find((/** @type {any} */ g) => g.number === o.meta_graph) ?? {};
    const { variables, objects, ops } = o;
    return html`
      <div class="cards">
        ${card(graph.tensorflow_version || '?', 'TensorFlow')}
        ${card(graph.tags?.join(', ') || 'none', o.meta_graphs.total > 1 ? `tags, first of ${o.meta_graphs.total} graphs` : 'tags')}
        ${
          variables?.elements === undefined
            ? card(variables?.total, 'variables')
            : html`${card(count(variables.elements), `elements in ${counted(variables.total, 'variable')}`)}
              ${card(size(variables.size), `in variables${variables.partial ? ', at least' : ''}`)}`
        }
        ${card(graph.graph && size(graph.graph.size), 'graph and functions')}
        ${card(objects && count(objects.total), 'objects')}
        ${card(o.concrete_functions && count(o.concrete_functions), 'concrete functions')}
        ${card(o.keras && (o.keras.class ?? 'Keras'), o.keras?.layers ? `${counted(o.keras.layers, 'Keras layer')}` : (o.keras?.identifier ?? '').replace(/^_tf_keras_/, ''))}
      </div>
      ${
        ops?.custom?.length
          ? html`<p>
              Operations that TensorFlow does not have:
              ${ops.custom.map((/** @type {any} */ op) => html`<code class="chip">${plain(op.op ?? op)}</code>`)}
            </p>`
          : nothing
      }
      <h2>${counted(o.signatures?.total ?? 0, 'signature')}</h2>
      ${o.signatures?.total ? this.#signatures(o.signatures.items) : html`<p class="empty">This model has no signatures.</p>`}
      ${
        o.assets?.total
          ? html`<h2>${counted(o.assets.total, 'asset')}</h2>
              <ul>
                ${o.assets.items.map((/** @type {any} */ a) => html`<li><code>${plain(a.file)}</code></li>`)}
              </ul>`
          : nothing
      }
      ${this.#marks()}
    `;
  }

  /** @param {any[]} signatures */
  #signatures(signatures) {
    return html`<div class="scroll box">
      <table>
        <thead>
          <tr>
            <th>Key</th>
            <th>Inputs</th>
            <th>Outputs</th>
          </tr>
        </thead>
        <tbody>
          ${signatures.map(
            (s) =>
              html`<tr>
                <td>${this.link('signatures', s.key)}</td>
                <td>${tensors(s.inputs)}</td>
                <td>${tensors(s.outputs)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  /** The fingerprint, if there is one. */
  #marks() {
    const marks = Object.entries(this.#fingerprint.value ?? {});
    return marks.length
      ? html`<h2>Fingerprint</h2>
          <dl>
            ${marks.map(
              ([name, value]) =>
                html`<dt>${name.replaceAll('_', ' ')}</dt>
                  <dd><code>${plain(value)}</code></dd>`,
            )}
          </dl>`
      : nothing;
  }

  /** A frozen graph. @param {any} o */
  graph(o) {
    return html`
      <div class="cards">
        ${card(count(o.nodes), 'nodes')} ${card(count(o.functions), 'functions')}
        ${card(o.inputs.total ?? o.inputs.length, 'inputs')} ${card(o.outputs.total ?? o.outputs.length, 'outputs')}
        ${card(o.versions?.producer, 'GraphDef version')}
      </div>
      <h2>Inputs</h2>
      ${this.#ends(o.inputs)}
      <h2>Outputs</h2>
      ${this.#ends(o.outputs)}
    `;
  }

  /** @param {any} list */
  #ends(list) {
    const items = list.items ?? list;
    return items.length
      ? html`<ul>
          ${items.map((/** @type {any} */ one) => html`<li>${this.link('graph', '', one.name, one.name)} <span class="type">${one.op ?? ''} ${one.dtype ? tensor(one) : ''}</span></li>`)}
        </ul>`
      : html`<p class="dim">none</p>`;
  }

  /** @param {any} o */
  samediff(o) {
    return html`
      <div class="cards">
        ${card(size(o.bytes), o.format === 'zip' ? 'SameDiff zip' : String(o.format))}
        ${card(o.default_tag, 'default tag')} ${card(count(o.graph.operations), 'operations')}
        ${card(count(o.graph.variables), 'variables')}
      </div>
      <h2>${counted(o.tags.total, 'tag')}</h2>
      <div class="scroll box">
        <table>
          <thead>
            <tr>
              <th>Tag</th>
              <th class="number">Graph</th>
              <th class="number">Parameters</th>
              <th class="number">in files</th>
              <th class="number">Updater state</th>
            </tr>
          </thead>
          <tbody>
            ${o.tags.items.map(
              (/** @type {any} */ t) =>
                html`<tr>
                  <td>${plain(t.tag)}${t.default ? html` <span class="chip">default</span>` : nothing}</td>
                  <td class="number">${size(t.graph_bytes)}</td>
                  <td class="number">${size(t.parameters.bytes)}</td>
                  <td class="number">${count(t.parameters.files)}</td>
                  <td class="number">${t.updater.bytes ? size(t.updater.bytes) : '–'}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <h2>Inputs</h2>
      ${tensors(o.graph.inputs)}
      <h2>Outputs</h2>
      ${tensors(o.graph.outputs)}
    `;
  }

  /** Any other kind: its fields, as they are. @param {any} o */
  other({ problems, kind, ...o }) {
    const [plainOnes, rest] = [[], []].map((/** @type {[string, any][]} */ _, i) =>
      Object.entries(o).filter(([, value]) => (typeof value === 'object' ? 1 : 0) === i),
    );
    return html`
      <div class="cards">
        ${plainOnes?.map(([name, value]) => card(typeof value === 'number' ? count(value) : plain(value), name.replaceAll('_', ' ')))}
      </div>
      ${rest?.map(
        ([name, value]) =>
          html`<h2>${name.replaceAll('_', ' ')}</h2>
            <pre tabindex="0">${plain(JSON.stringify(value, null, 2)).replaceAll('\\u{a}', '\n')}</pre>`,
      )}
    `;
  }
}
customElements.define('cpb-overview', Overview);
