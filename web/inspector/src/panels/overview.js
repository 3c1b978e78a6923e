/** The overview: the facts about a model, the most important first. Facts that a model lacks are left out. */
import { css, html, nothing } from 'lit';
import { constantsOf, MOST, variablesOf } from '../answers.js';
import { brief, count, counted, percent, plain, shapes, size } from '../format.js';
import { typed } from '../model/tensors.js';
import { offer, Panel, priceOf } from '../panel.js';
import { barred, bars, column, listing, numbers, shares, table, types, wide } from './listing.js';
import { folded } from './folded.js';
import { headline, headlined, named, nameOf } from './headline.js';
import { hasRoot, linked, parametersOf } from './layers.js';
import { figuresOf, kindWords, pairs, rest, resting } from './overview-facts.js';
import { descending, groupedBy, sizeOf } from './treemap.js';

/** Signatures, weights and operations that are listed. */
const [SIGNATURES, WEIGHTS, OPERATIONS] = [8, 6, 9];

export class Overview extends Panel {
  static styles = [
    ...Panel.styles,
    headlined,
    listing,
    barred,
    resting,
    css`
      .glance {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0 1.2rem;
      }
      .glance h2 {
        margin-top: 1.2rem;
      }
      .glance p {
        font-size: 0.9rem;
      }
      .glance td {
        overflow-wrap: anywhere;
      }
      .glance td:nth-child(-n + 2) {
        min-width: 6.4rem;
      }
      @container (min-width: 60rem) {
        .glance {
          grid-template-columns: minmax(0, 8fr) minmax(0, 5fr);
        }
      }
    `,
  ];
  overview = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  // Loaded after the overview, whose requests these must not delay.
  layers = this.askAfter((_, ask) => ask('layers', { count: MOST }));
  variables = this.askAfter(
    (o, _, signal) =>
      (o.kind === 'checkpoint' || (o.kind === 'saved_model' && o.variables?.total > 0)) &&
      variablesOf(this.session, { signal, unasked: true }),
  );
  // Before the constants, which may take many requests.
  ops = this.askAfter((o, ask) => o.nodes !== undefined && ask('ops', { count: MOST }));
  constants = this.askAfter(
    (o, _, signal) =>
      (o.nodes !== undefined || o.variables?.total === 0) && constantsOf(this.session, { signal, unasked: true }),
  );
  tag = this.askAfter((o, ask) => (o.tags || o.format === 'FlatBuffers') && ask('tag', {}));
  fingerprint = this.askAfter(
    (o, _, signal) => o.kind === 'saved_model' && this.session.look('fingerprint', { signal }),
  );

  /** Asks once the overview is known, and depends on it.
   * @param {(o: any, ask: (question: string, options: object) => Promise<any>, signal: AbortSignal) => unknown} ask */
  askAfter(ask) {
    return this.asking(
      async ([session, o], { signal }) => {
        const asked =
          o && ask(o, (question, options) => session.ask(question, { ...options, signal, unasked: true }), signal);
        return asked ? await asked : undefined;
      },
      () => [this.overview.value],
    );
  }

  render() {
    return this.answer(this.overview, (o) => {
      const keras = this.keras(o);
      const { path, kind } = this.session.about;
      const main = o.signatures ? mainSignature(o.signatures.items) : o;
      const items = (/** @type {any} */ page) => page?.items ?? page ?? [];
      return html`${headline({
          kind: kindWords(kind, o, keras),
          name: keras?.name || o.model?.name || o.graph?.name || nameOf(path),
          inputs: items(main?.inputs),
          outputs: items(main?.outputs),
          show: o.signatures ? named : (one) => this.leading(one),
          figures: figuresOf(this, o, keras),
          note: this.priced() ?? this.twice(),
        })}
        <div class="glance">
          <div>
            ${o.signatures ? this.signatures(o.signatures) : nothing} ${o.tags?.total ? this.tags(o.tags) : nothing}
            ${this.layerLines()} ${this.largest()}
          </div>
          <div>
            ${this.operations()} ${this.types()} ${o.external_data?.length ? files(o.external_data) : nothing}
            ${training(o.model?.training)} ${rest(this, o)}
          </div>
        </div>`;
    });
  }

  /** An input or output that leads to its node. @param {any} one */
  leading(one) {
    return html`${this.link('graph', '', one.name, one.name)}
      <span class="type">${one.dtype || one.type ? brief(one) : plain(one.op ?? '')}</span>`;
  }

  /** Keras's description of the whole model: from the overview, or else from the layers. @param {any} o */
  keras({ keras }) {
    const { items: [root] = [], total } = this.layers.value?.layers ?? {};
    return keras && root?.depth === 0 ? { ...root, ...keras, layers: total } : keras;
  }

  /** The parts that were not read because they are expensive. */
  priced() {
    const { layers, variables, ops, constants } = this;
    const what = Object.entries({ layers, operations: ops, weights: priceOf(variables) ? variables : constants });
    const names = what.filter(([, task]) => priceOf(task)).map(([name]) => name);
    const prices = what.flatMap(([, task]) => priceOf(task) ?? []);
    const most = prices.sort((a, b) => b.requests - a.requests)[0];
    return most && offer(this.session, `The model’s ${names.join(' and ')} are not read yet`, most);
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
  signatures({ items, total }) {
    const calls = items.filter((/** @type {any} */ one) => !starts(one));
    const shown = calls.slice(0, SIGNATURES);
    const tensors = (/** @type {any[]} */ list) => list.map((one) => html`<div>${named(one)}</div>`);
    return html`<h2>${counted(total - items.length + calls.length, 'signature')}</h2>
      ${
        shown.length
          ? table(
              'signatures',
              [
                column('key', 'Key', ({ key }) => this.link('signatures', key)),
                column('inputs', 'Inputs', ({ inputs }) => tensors(inputs)),
                column('outputs', 'Outputs', ({ outputs }) => tensors(outputs)),
              ],
              shown,
            )
          : html`<p class="empty">
              ${this.session.damage ? 'None in what could be read.' : 'None: the model does not say how to call it.'}
              The panel ${this.link('graph', '', 'Graph')} shows what it computes.
            </p>`
      }
      ${total > items.length || calls.length > shown.length ? html`<p>${this.link('signatures', '', `All ${count(total)} signatures`)}</p>` : nothing}`;
  }

  /** For a SameDiff file. @param {any} tags a page of them */
  tags({ total, items }) {
    return html`<h2>${counted(total, 'tag')}</h2>
      ${table(
        'tags',
        [
          column(
            'tag',
            'Tag',
            ({ tag, default: isDefault }) =>
              html`${this.link('training', tag, tag, '', { tag })}${isDefault ? html` <span class="chip">default tag</span>` : nothing}`,
          ),
          numbers('graph', 'graph.fb', (t) => (t.graph_bytes === null ? '–' : size(t.graph_bytes))),
          numbers(
            'parameters',
            'params/',
            ({ parameters: { bytes, files: n } }) =>
              html`${size(bytes)}<br /><span class="dim small">${counted(n, 'file')}</span>`,
          ),
          numbers('updater', 'updater/', (t) => (t.updater.bytes ? size(t.updater.bytes) : '–')),
          column('training', 'Training', (t) => (t.training_config ? 'configured' : '–')),
        ],
        items,
      )}`;
  }

  /** The operations that are used most. */
  operations() {
    const { items = [], total } = this.ops.value?.ops ?? {};
    if (!total) return nothing;
    const rows = items
      .slice(0, OPERATIONS)
      .map((/** @type {any} */ { op, count: n }) => ({ name: this.link('search', op), size: n, text: count(n) }));
    return html`<h2>Operations</h2>
      ${bars(rows)} ${total > OPERATIONS ? html`<p>${this.link('operations', '', `All ${count(total)}`)}</p>` : nothing}`;
  }

  /** What the weights are made of, by bytes. */
  types() {
    const all = this.weights();
    if (!all.length) return nothing;
    const whole = sizeOf(all);
    const types = descending(groupedBy(all, (/** @type {any} */ { dtype }) => dtype));
    const rows = types.map(({ name, size: bytes, items }) => ({
      name: html`<span class="type">${typed({ dtype: name })}</span>`,
      size: bytes,
      text: html`${size(bytes)} <span class="dim">${percent(bytes, whole)}, ${counted(items.length, 'tensor')}</span>`,
    }));
    return html`<h2>Types of the ${kindOf(all)}</h2>
      ${bars(rows)}`;
  }

  /** Its layers, in a few lines. */
  layerLines() {
    const { layers, source } = this.layers.value ?? {};
    if (!(layers?.items.length > 1)) return nothing;
    const runs = folded(layers.items);
    return html`<h2>Layers</h2>
      ${table('layers', this.layerColumns(runs, source), runs)}
      <p>${this.link('layers', '', `All ${counted(layers.total - (hasRoot(layers.items) ? 1 : 0), 'layer')}`)}</p>`;
  }

  /** @param {import('./folded.js').Run[]} runs @param {string} source @returns {import('./listing.js').Column[]} */
  layerColumns(runs, source) {
    const name = (/** @type {any} */ one) => one.name ?? one.path;
    return [
      column('name', 'Layer', ({ first, last, layers, blocks, stem, end }) => {
        if (layers === 1) return linked(this, first, source);
        const names = blocks > 1 ? `${stem} … ${end}` : `${name(first)} … ${name(last)}`;
        return this.link('layers', '', names, '', { first: String(first.index) });
      }),
      column('class', 'Class', ({ first, layers, blocks }) => {
        if (layers === 1) return plain(first.class ?? first.identifier);
        const times = blocks > 1 && layers > blocks ? blocks : 1;
        return html`<span class="dim">${times > 1 ? `${times} × ` : ''}${counted(layers / times, 'layer')}</span>`;
      }),
      ...(runs.some(hasInput) ? [input] : []),
      numbers('parameters', 'Parameters', ({ complete, parameters }) => parametersOf(parameters, complete)),
      wide(shares(runs, ({ parameters: n }) => n)),
    ];
  }

  /** Variables, or constants, the largest first: weights if there are any. */
  weights() {
    const { list = [] } = this.variables.value ?? {};
    if (list.length)
      return list.flatMap((/** @type {any} */ one) => (one.twin ? [] : [{ ...one, panel: 'variables' }]));
    const all = (this.constants.value?.list ?? []).map((/** @type {any} */ one) => ({ ...one, panel: 'bytes' }));
    const weights = all.filter((/** @type {any} */ one) => one.use !== 'constant');
    return weights.length ? weights : all;
  }

  /** The largest weights. */
  largest() {
    const all = /** @type {any[]} */ (descending(this.weights()));
    if (!all.length) return nothing;
    const others = all.slice(WEIGHTS);
    const more = { panel: all[0].panel, at: '', name: `${count(others.length)} more`, size: sizeOf(others) };
    return html`<h2>Largest ${kindOf(all)}</h2>
      ${table(
        'weights',
        [
          column(
            'name',
            'Name',
            ({ panel, at, name, within }) =>
              html`${this.link(panel, at, name)}${within ? html` <span class="dim small">in ${plain(within)}</span>` : nothing}`,
          ),
          types('shape', 'Shape', (one) => (one === more ? nothing : brief(one))),
          numbers('size', 'Size', (one) => size(one.size)),
          wide(shares(all, (one) => one.size)),
        ],
        [...all.slice(0, WEIGHTS), ...(others.length ? [more] : [])],
      )}`;
  }
}

/** @param {import('./folded.js').Run} run */
const hasInput = ({ first }) => Array.isArray(first.input_shape);

const input = wide(types('input', 'Input', (run) => (hasInput(run) ? shapes(run.first.input_shape) : nothing)));

/** @param {any[]} list of weights, or only of constants */
const kindOf = ([one]) => (one.use === 'constant' ? 'constants' : 'weights');

/** Whether a signature only starts the model: nothing goes in, an operation is run. @param {any} signature */
const starts = ({ inputs, outputs }) =>
  !inputs.length && outputs.every((/** @type {any} */ one) => one.dtype === 'invalid');

/** The one that a caller gets by default. @param {any[]} signatures */
const mainSignature = (signatures) =>
  signatures.find(({ key }) => key === 'serving_default') ?? signatures.find((one) => !starts(one));

/** The files next to the model. @param {any[]} list */
const files = (list) =>
  html`<h2>Values in ${counted(list.length, 'other file')}</h2>
    ${table(
      'files',
      [
        column('file', 'File', ({ location }) => html`<code>${plain(location)}</code>`),
        numbers('tensors', 'Tensors'),
        numbers('bytes', 'Size', ({ bytes }) => size(bytes)),
      ],
      list,
    )}
    <p class="dim">They are read from the model's folder when values are looked at.</p>`;

/** Keras's notes about the training. @param {any} noted */
function training(noted) {
  if (!noted) return nothing;
  const { optimizer, optimizer_config: config, loss, metrics } = noted;
  const json = (/** @type {unknown} */ value) => value && html`<code>${plain(JSON.stringify(value))}</code>`;
  return html`<h2>Training</h2>
    ${pairs([
      ['Optimizer', optimizer && plain(optimizer)],
      ['Learning rate', config?.learning_rate],
      ['Loss', json(loss)],
      ['Metrics', json(metrics)],
    ])}`;
}

customElements.define('cpb-overview', Overview);
