/** The Keras layers: their tree, and of one its configuration, its variables and the layers in it. */
import { css, html, nothing } from 'lit';
import { MOST, variablesOf } from '../answers.js';
import { brief, count, counted, plain, shape, size } from '../format.js';
import { Panel } from '../panel.js';
import { list, listing } from './listing.js';
import { pairs, resting } from './overview-rest.js';

/** Variables of a layer that are listed. */
const VARIABLES = 50;

class Layers extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    resting,
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
      .one {
        padding: 1rem 1.2rem;
        margin: 0.6rem 0 1.2rem;
      }
      .one h2 {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .one h3 {
        margin-top: 1.2rem;
      }
    `,
  ];
  #layers = this.asking(
    ([session, at], { signal }) => session.ask('layers', { ...(at ? { name: at } : {}), count: MOST, signal }),
    () => [this.at],
  );
  #variables = this.asking(
    async ([session, at], { signal }) =>
      at && session.about.kind === 'saved_model' ? (await variablesOf(session, signal)).list : [],
    () => [this.at],
  );

  render() {
    return html`${this.at ? html`<p>← ${this.link('layers', '', 'All layers')}</p>` : nothing}
    ${this.answer(this.#layers, ({ layers }) => {
      if (!layers?.total)
        return html`<p class="empty">No Keras layers are stored in this model. ${this.#instead()}</p>`;
      const [first, ...inner] = layers.items;
      if (!this.at) return this.table(layers.items);
      return html`${this.one(first)}${
        inner.length
          ? html`<h2>Layers in it</h2>
              ${this.table(inner)}`
          : nothing
      }`;
    })}`;
  }

  /** Where the weights are, of a model without layers. */
  #instead() {
    return this.session.about.kind === 'saved_model'
      ? html`Exports of Keras 3 have none; see ${this.link('variables', '', 'Variables')} for the weights.`
      : nothing;
  }

  /** @param {any[]} items */
  table(items) {
    const [root] = items;
    const within = root?.parent === null && items.some(({ parent }) => parent === root.index);
    return list(this, {
      rows: items,
      what: 'layers',
      columns: columns.filter(({ of }) => !of || items.some((one) => of(one))).map((one) => one.column(this)),
      text: (one) => `${one.name} ${one.class} ${one.path}`,
      beside: html`<p><strong>${counted(items.length - (within ? 1 : 0), 'layer')}</strong></p>`,
    });
  }

  /** All of one layer. @param {any} layer */
  one(layer) {
    const { name, path, trainable } = layer;
    const config = layer.config ?? {}; // null where the model has no metadata
    const from = sources(layer.inputs ?? []);
    return html`<section class="box one" aria-label="The layer">
      <h2>${plain(name ?? path)}</h2>
      ${pairs([
        ['Class', plain(layer.class ?? layer.identifier)],
        ['Input', layer.input_shape && html`<span class="type">${shapes(layer.input_shape)}</span>`],
        ['Parameters', html`${parameters(layer)}${trainable === false ? ' (frozen)' : ''}`],
        ['Trainable', layer.parameters ? count(layer.trainable_parameters ?? 0) : undefined],
        ['Called with', from.length ? from.map((one) => html`${this.link('layers', one)} `) : undefined],
        ['Object', path && this.session.about.kind === 'saved_model' ? this.link('objects', path) : undefined],
      ])}
      ${this.variables(path)}
      ${
        Object.keys(config).length
          ? html`<h3>Configuration</h3>
              ${pairs(Object.entries(config).map(([key, value]) => [key, setting(value)]))}`
          : nothing
      }
    </section>`;
  }

  /** The variables below its object. @param {string | null} path */
  variables(path) {
    const own = (this.#variables.value ?? []).filter(
      (/** @type {any} */ one) => path && !one.twin && one.path?.startsWith(`${path}.`),
    );
    if (!own.length) return nothing;
    return html`<h3>${counted(own.length, 'variable')}</h3>
      <ul>
        ${own.slice(0, VARIABLES).map(
          (/** @type {any} */ one) =>
            html`<li>
              ${this.link('variables', one.at, one.name)} <span class="type">${brief(one)}</span>
              <span class="dim small">${size(one.size)}</span>
            </li>`,
        )}
      </ul>
      ${own.length > VARIABLES ? html`<p class="dim small">and ${count(own.length - VARIABLES)} more</p>` : nothing}`;
  }
}

/** What of a layer there may be; a column that has nothing is not shown.
 * @type {{ of?: (l: any) => unknown, column: (panel: Layers) => import('./listing.js').Column }[]} */
const columns = [
  {
    column: (panel) => ({
      key: 'name',
      title: 'Layer',
      show: (l) =>
        html`${Array.from({ length: l.depth }, () => html`<span class="indent"></span>`)}${panel.link('layers', l.path ?? l.name ?? '', l.name ?? l.path)}
          <span class="dim small narrow">${plain(l.class ?? l.identifier)}</span>`,
    }),
  },
  {
    column: () => ({
      key: 'class',
      title: 'Class',
      wide: true,
      by: (l) => l.class ?? l.identifier ?? '',
      show: (l) =>
        html`${plain(l.class ?? l.identifier)}${l.trainable === false ? html` <span class="chip">frozen</span>` : nothing}`,
    }),
  },
  {
    of: (l) => l.input_shape,
    column: () => ({
      key: 'input',
      title: 'Input',
      wide: true,
      show: (l) => (l.input_shape ? html`<span class="type">${shapes(l.input_shape)}</span>` : nothing),
    }),
  },
  {
    of: (l) => l.dtype,
    column: () => ({
      key: 'type',
      title: 'Type',
      wide: true,
      show: (l) =>
        html`<span class="type">${plain(typeof l.dtype === 'string' ? l.dtype : JSON.stringify(l.dtype))}</span>`,
    }),
  },
  {
    column: () => ({
      key: 'parameters',
      title: 'Parameters',
      number: true,
      by: (l) => l.parameters ?? 0,
      show: parameters,
    }),
  },
  {
    of: (l) => l.inputs?.length,
    column: () => ({
      key: 'from',
      title: 'From',
      wide: true,
      show: (l) => sources(l.inputs ?? []).map((name) => html`<code class="chip">${plain(name)}</code>`),
    }),
  },
];

/** A setting of a layer: an object of Keras as its class and what is set in it. @param {any} value @returns {unknown} */
function setting(value) {
  if (value === null || value === undefined) return html`<span class="dim">none</span>`;
  if (value.class_name) {
    const set = Object.entries(value.config ?? {}).filter(([, one]) => one !== null);
    return html`${plain(value.class_name)}${set.length ? html` <span class="dim">${set.map(([key, one]) => `${plain(key)}: ${plain(JSON.stringify(one))}`).join(', ')}</span>` : nothing}`;
  }
  return html`<code>${plain(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
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
  if (l.parameters_complete ?? true) return count(l.parameters);
  return l.parameters ? `≥ ${count(l.parameters)}` : html`<span class="dim">unknown</span>`;
}

customElements.define('cpb-layers', Layers);
