/** The overview: what a model is, in the order in which it is asked. */
import { html, nothing } from 'lit';
import { MOST, variablesOf } from '../answers.js';
import { brief, count, counted, percent, plain, size } from '../format.js';
import { isExported } from '../model/kinds.js';
import { Panel } from '../panel.js';
import { folded } from './folded.js';
import { headline, headlined, named, nameOf } from './headline.js';
import { graphOverview, kerasOverview, sameDiffOverview } from './overview-others.js';
import { listing } from './listing.js';
import { coremlOverview } from './overview-coreml.js';
import { exact, onnxOverview } from './overview-onnx.js';
import { rest, resting } from './overview-rest.js';

/** Signatures and weights that are listed. */
const [SIGNATURES, WEIGHTS] = [8, 6];

class Overview extends Panel {
  static styles = [...Panel.styles, headlined, listing, resting];
  overview = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  // After the overview, whose requests these shall not hold up.
  layers = this.askAfter((o, ask) => (o.keras || o.model) && ask('layers', { count: MOST }));
  variables = this.askAfter(
    (o, _, signal) => o.kind === 'saved_model' && o.variables?.total > 0 && variablesOf(this.session, signal),
  );
  // Before the constants, which may take many requests.
  ops = this.askAfter((o, ask) => (o.kind === 'graph_def' || isExported(o.kind)) && ask('ops', { count: MOST }));
  constants = this.askAfter(
    (o, ask) =>
      (o.kind === 'graph_def' || isExported(o.kind) || o.variables?.total === 0) && ask('constants', { count: MOST }),
  );
  tag = this.askAfter((o, ask) => (o.tags || o.format === 'FlatBuffers') && ask('tag', {}));
  fingerprint = this.askAfter(
    (o, _, signal) => o.kind === 'saved_model' && this.session.look('fingerprint', { signal }),
  );

  /** Asks when the overview is known, what depends on it.
   * @param {(o: any, ask: (question: string, options: object) => Promise<any>, signal: AbortSignal) => unknown} ask */
  askAfter(ask) {
    return this.asking(
      async ([session, o], { signal }) => {
        const asked = o && ask(o, (question, options) => session.ask(question, { ...options, signal }), signal);
        return asked ? await asked : undefined;
      },
      () => [this.overview.value],
    );
  }

  render() {
    return this.answer(this.overview, (o) => {
      if (o.kind === 'saved_model') return this.savedModel(o);
      if (o.kind === 'graph_def') return graphOverview(this, o);
      if (o.kind === 'onnx') return onnxOverview(this, o);
      if (o.kind === 'coreml') return coremlOverview(this, o);
      if (o.model) return kerasOverview(this, o);
      return sameDiffOverview(this, o);
    });
  }

  /** @param {any} o */
  savedModel(o) {
    const keras = this.keras(o);
    const graph = o.meta_graphs.items.find((/** @type {any} */ g) => g.number === o.meta_graph) ?? {};
    const main = mainSignature(o.signatures?.items ?? []);
    return html`${headline({
      kind: [
        o.schema_version === undefined ? 'MetaGraphDef' : 'SavedModel',
        keras && (keras.class ? `Keras ${plain(keras.class)}` : 'Keras'),
        graph.tags?.length ? `tags: ${graph.tags.map(plain).join(', ')}` : 'no tags',
      ],
      name: keras?.name ?? nameOf(this.session.about.path),
      inputs: main?.inputs ?? [],
      outputs: main?.outputs ?? [],
      figures: [...this.weightFigures(o), ...this.madeOf(keras, o.ops, graph)],
      note: this.twice(),
    })}
    ${this.signatures(o.signatures)} ${this.layerLines(o)} ${this.largest()} ${rest(this, o)}`;
  }

  /** What Keras says of the whole: the overview has it, or else the layers have. @param {any} o */
  keras({ keras }) {
    const { items: [root] = [], total } = this.layers.value?.layers ?? {};
    return keras && root?.depth === 0 ? { ...root, ...keras, layers: total } : keras;
  }

  /** Parameters and bytes. @param {any} o @returns {import('./headline.js').Figure[]} */
  weightFigures({ parameters: { total, trainable, bytes, tensors }, variables }) {
    const constants = this.constants.value;
    if (!tensors && constants?.constants.total)
      return [{ name: 'Constants', value: size(constants.size), more: counted(constants.constants.total, 'constant') }];
    if (!tensors) return [];
    return [
      {
        name: 'Parameters',
        value: exact(total),
        more: trainable === null ? undefined : `${exact(trainable)} trainable`,
      },
      { name: 'Weights', value: size(bytes), more: counted(tensors, variables?.total ? 'variable' : 'constant') },
    ];
  }

  /** What else it is made of. @param {any} keras @param {any} ops @param {any} graph @returns {import('./headline.js').Figure[]} */
  madeOf(keras, ops, graph) {
    const { layers } = keras ?? {};
    return [
      layers ? { name: 'Layers', value: count(layers - 1) } : undefined,
      ops?.total
        ? { name: 'Operations', value: counted(ops.total, 'kind'), more: customs(ops.custom, this) }
        : undefined,
      {
        name: 'TensorFlow',
        value: graph.tensorflow_version ? plain(graph.tensorflow_version) : html`<span class="dim">unknown</span>`,
      },
    ];
  }

  /** Why there are more variables than weights. */
  twice() {
    const all = this.variables.value?.list ?? [];
    const once = all.filter((/** @type {any} */ one) => !one.twin);
    return once.length < all.length
      ? `${count(all.length)} variables are stored for these ${count(once.length)} weights, because Keras 3 exports each weight twice.`
      : undefined;
  }

  /** @param {any} signatures a page of them */
  signatures({ items, total } = { items: [], total: 0 }) {
    const calls = items.filter((/** @type {any} */ one) => !starts(one));
    const shown = calls.slice(0, SIGNATURES);
    return html`<h2>${counted(total - items.length + calls.length, 'signature')}</h2>
      ${
        shown.length
          ? html`<div class="scroll box" tabindex="0" role="group" aria-label="Table of signatures">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col">Inputs</th>
                    <th scope="col">Outputs</th>
                  </tr>
                </thead>
                <tbody>
                  ${shown.map(
                    (/** @type {any} */ s) =>
                      html`<tr>
                        <td>${this.link('signatures', s.key)}</td>
                        <td>${s.inputs.map((/** @type {any} */ one) => html`<div>${named(one)}</div>`)}</td>
                        <td>${s.outputs.map((/** @type {any} */ one) => html`<div>${named(one)}</div>`)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty">
              ${this.session.damage ? 'None in what could be read.' : 'None: the model does not say how to call it.'}
              The panel ${this.link('graph', '', 'Graph')} shows what it computes.
            </p>`
      }
      ${total > items.length || calls.length > shown.length ? html`<p>${this.link('signatures', '', `All ${count(total)} signatures`)}</p>` : nothing}`;
  }

  /** Its layers, in a few lines. @param {any} o */
  layerLines(o) {
    if (this.layers.error || !(o.keras || o.model)) return nothing;
    const { layers } = this.layers.value ?? {};
    if (!layers?.items.length) return nothing;
    const runs = folded(layers.items);
    const all = runs.reduce((sum, { parameters }) => sum + parameters, 0);
    return html`<h2>Layers</h2>
      <div class="scroll box" tabindex="0" role="group" aria-label="Table of layers">
        <table>
          <thead>
            <tr>
              <th scope="col">Layer</th>
              <th scope="col">Class</th>
              <th scope="col" class="wide">Input</th>
              <th scope="col" class="number">Parameters</th>
              <th scope="col" class="number wide">Share</th>
            </tr>
          </thead>
          <tbody>
            ${runs.map((run) => this.line(run, all))}
          </tbody>
        </table>
      </div>
      <p>${this.link('layers', '', `All ${counted(layers.total - 1, 'layer')}`)}</p>`;
  }

  /** @param {import('./folded.js').Run} run @param {number} all parameters */
  line({ first, last, layers, parameters, complete }, all) {
    const name = (/** @type {any} */ one) => one.name ?? one.path;
    const input = shapeOf(first.input_shape);
    return html`<tr>
      <td>
        ${
          layers > 1
            ? this.link('layers', '', `${name(first)} … ${name(last)}`, '', { first: String(first.index) })
            : this.link('layers', first.path ?? first.name, name(first))
        }
      </td>
      <td>
        ${layers > 1 ? html`<span class="dim">${counted(layers, 'layer')}</span>` : plain(first.class ?? first.identifier)}
      </td>
      <td class="wide">${input ? html`<span class="type">${input}</span>` : nothing}</td>
      <td class="number">
        ${complete ? count(parameters) : parameters ? `≥ ${count(parameters)}` : html`<span class="dim">unknown</span>`}
      </td>
      <td class="number wide">${all ? percent(parameters, all) : nothing}</td>
    </tr>`;
  }

  /** The largest weights. */
  largest() {
    const known = this.variables.value;
    if (!known?.list?.length) return nothing;
    const once = known.list.filter((/** @type {any} */ one) => !one.twin);
    const sorted = [...once].sort((/** @type {any} */ a, /** @type {any} */ b) => b.size - a.size);
    const all = sorted.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.size, 0);
    const others = sorted.slice(WEIGHTS);
    const bytes = others.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.size, 0);
    return html`<h2>Largest weights</h2>
      <div class="scroll box" tabindex="0" role="group" aria-label="Table of weights">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Shape</th>
              <th scope="col" class="number">Size</th>
              <th scope="col" class="number wide">Share</th>
            </tr>
          </thead>
          <tbody>
            ${sorted.slice(0, WEIGHTS).map(
              (/** @type {any} */ one) =>
                html`<tr>
                  <td>${this.link('variables', one.at, one.name)}</td>
                  <td><span class="type">${brief(one)}</span></td>
                  <td class="number">${size(one.size)}</td>
                  <td class="number wide">${percent(one.size, all)}</td>
                </tr>`,
            )}
            ${
              others.length
                ? html`<tr>
                    <td>${this.link('variables', '', `${count(others.length)} more`)}</td>
                    <td></td>
                    <td class="number">${size(bytes)}</td>
                    <td class="number wide">${percent(bytes, all)}</td>
                  </tr>`
                : nothing
            }
          </tbody>
        </table>
      </div>`;
  }
}

/** Whether a signature only starts the model: nothing goes in, an operation is run. @param {any} signature */
const starts = ({ inputs, outputs }) =>
  !inputs.length && outputs.every((/** @type {any} */ one) => one.dtype === 'invalid');

/** The one that a caller takes unless told otherwise. @param {any[]} signatures */
const mainSignature = (signatures) =>
  signatures.find(({ key }) => key === 'serving_default') ?? signatures.find((one) => !starts(one));

/** The overview has not read the graph; the panel that has may count more.
 * @param {{ op: string }[] | undefined} custom @param {Panel} panel */
const customs = (custom, panel) =>
  html`that the exporter lists,
  ${custom?.length ? html`<strong>${count(custom.length)} custom</strong>: ${custom.map(({ op }) => plain(op)).join(', ')}` : 'none custom'};
  ${panel.link('operations', '', 'all, counted')}`;

/** An input shape, or several, in short. @param {any} value @returns {string} */
function shapeOf(value) {
  if (!Array.isArray(value)) return '';
  const flat = value.every((d) => d === null || typeof d === 'number');
  return flat ? `[${value.map((d) => d ?? '?').join(',')}]` : value.map(shapeOf).filter(Boolean).join(', ');
}

customElements.define('cpb-overview', Overview);
