/** The layers, from the best available source: Keras's tree, with configuration, variables and nested layers of each;
 * otherwise modules or names. */
import { css, html, nothing } from 'lit';
import { MOST, variablesOf } from '../answers.js';
import { brief, count, counted, plain, shapes, size } from '../format.js';
import { Panel, titled } from '../panel.js';
import { column, list, listing, numbers, shares, types, wide } from './listing.js';
import { pairs, resting } from './overview-facts.js';

/** Variables of a layer that are listed. */
const VARIABLES = 50;

/** Their source, if it is not Keras. @type {Record<string, string>} */
const SOURCES = {
  modules: 'by the modules of the exported program',
  layers: 'as the model lists them',
  names: 'by the names of its nodes',
  variables: 'by the names of its variables',
};

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
      at && session.about.kind === 'saved_model' ? (await variablesOf(session, { signal })).list : [],
    () => [this.at],
  );

  render() {
    return html`${this.at ? html`<p>← ${this.link('layers', '', 'All layers')}</p>` : nothing}
    ${this.answer(this.#layers, ({ layers: { items, total }, source }) => {
      if (!total) return html`<p class="empty">No layers are stored in this model, and no names tell of any.</p>`;
      const [first, ...inner] = items;
      if (!this.at || !isOfKeras(first)) return this.table(items, total, source);
      return html`${this.one(first)}${
        inner.length
          ? html`<h2>Layers in it</h2>
              ${this.table(inner, inner.length, source)}`
          : nothing
      }`;
    })}`;
  }

  /** @param {any[]} items @param {number} total @param {string} source */
  table(items, total, source) {
    const more = total > items.length ? `, the first ${count(items.length)} here` : '';
    return list(this, {
      rows: items,
      what: 'layers',
      columns: this.columns(items, source),
      text: (one) => `${one.name} ${one.class} ${one.path}`,
      beside: html`<p>
        <strong>${counted(total - (hasRoot(items) ? 1 : 0), 'layer')}</strong
        >${more}${SOURCES[source] ? `, ${SOURCES[source]}` : ''}
      </p>`,
    });
  }

  /** The available facts about layers; empty columns are not shown.
   * @param {any[]} items @param {string} source @returns {import('./listing.js').Column[]} */
  columns(items, source) {
    const has = (/** @type {string} */ key) => items.some((one) => one[key] && one[key].length !== 0);
    const isTree = isOfKeras(items[0]);
    return [
      column(
        'name',
        'Layer',
        (one) =>
          html`${indent(one)}${linked(this, one, source)}
          ${isTree ? html`<span class="dim small narrow">${plain(one.class ?? one.identifier)}</span>` : nothing}`,
        isTree ? undefined : nameOf,
      ),
      ...(isTree || has('class') ? [classes(isTree || source === 'modules' ? 'Class' : 'Operation')] : []),
      ...(has('input_shape') ? [wide(types('input', 'Input', ({ input_shape: of }) => of && shapes(of)))] : []),
      ...(has('dtype') ? [wide(types('type', 'Type', dtypeOf))] : []),
      ...(has('nodes') ? [wide(numbers('nodes', 'Nodes'))] : []),
      numbers('parameters', 'Parameters', parameters),
      ...(isTree ? [] : [numbers('bytes', 'Size', (one) => size(one.bytes)), wide(shares(items, bytesOf))]),
      ...(has('inputs') ? [from] : []),
    ];
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
    const shown = (/** @type {any} */ one) =>
      html`${this.link('variables', one.at, one.name)} <span class="type">${brief(one)}</span>
        <span class="dim small">${size(one.size)}</span>`;
    return html`${titled(counted(own.length, 'variable'), own.slice(0, VARIABLES), shown)}
    ${own.length > VARIABLES ? html`<p class="dim small">and ${count(own.length - VARIABLES)} more</p>` : nothing}`;
  }
}

/** Whether the first layer is the model, which has the others. @param {any[]} items */
export const hasRoot = ([root, ...others]) =>
  root?.parent === null && others.some(({ parent }) => parent === root.index);

/** @param {any} layer */
const indent = ({ depth = 0 }) => Array.from({ length: depth }, () => html`<span class="indent"></span>`);

/**
 * A link to what is known of a layer: as a layer, or as variables or nodes.
 *
 * @param {Panel} panel @param {any} one @param {string} source
 */
export function linked(panel, one, source) {
  const name = nameOf(one);
  if (isOfKeras(one)) return panel.link('layers', one.path ?? name, name);
  // "(4 unnamed nodes)" and the like are not names.
  if (/^\(.*\)$/.test(name)) return plain(name);
  return source === 'variables'
    ? panel.link('variables', '', name, '', { q: name })
    : panel.link('graph', '', name, name);
}

/** @param {any} layer */
const isOfKeras = (layer) => layer?.depth !== undefined;
/** @param {any} layer */
const nameOf = ({ name, path }) => name ?? path ?? '';
/** @param {any} layer */
const bytesOf = ({ bytes }) => Number(bytes);

/** @param {any} layer */
const dtypeOf = ({ dtype }) => plain(dtype?.length ? dtype : JSON.stringify(dtype));

/** @param {string} title */
const classes = (title) =>
  wide(
    column(
      'class',
      title,
      (l) =>
        html`${plain(l.class ?? l.identifier)}${l.trainable === false ? html` <span class="chip">frozen</span>` : nothing}`,
      (l) => l.class ?? l.identifier ?? '',
    ),
  );

const from = wide(
  column('from', 'From', (l) => sources(l.inputs ?? []).map((name) => html`<code class="chip">${plain(name)}</code>`)),
);

/** A setting of a layer: a Keras object is shown as its class and settings. @param {any} value @returns {unknown} */
function setting(value) {
  if (value === null || value === undefined) return html`<span class="dim">none</span>`;
  if (value.class_name) {
    const set = Object.entries(value.config ?? {}).filter(([, one]) => one !== null);
    return html`${plain(value.class_name)}${set.length ? html` <span class="dim">${set.map(([key, one]) => `${plain(key)}: ${plain(JSON.stringify(one))}`).join(', ')}</span>` : nothing}`;
  }
  return html`<code>${plain(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

/** The layers that provide its inputs, in any of its calls. @param {{ layer: string }[][]} calls */
const sources = (calls) => [...new Set(calls.flat().map(({ layer }) => layer))];

/** @param {number} n @param {boolean} [isComplete] whether all could be counted */
export function parametersOf(n, isComplete = true) {
  if (isComplete) return count(n);
  return n ? `≥ ${count(n)}` : html`<span class="dim">unknown</span>`;
}

/** @param {any} layer */
const parameters = (layer) => parametersOf(layer.parameters, layer.parameters_complete);

customElements.define('cpb-layers', Layers);
