/** Overviews of what is no SavedModel: a graph, Keras's metadata, a SameDiff file. */
import { html, nothing } from 'lit';
import { elementsOf } from '../answers.js';
import { brief, count, counted, plain, size } from '../format.js';
import { headline, nameOf } from './headline.js';
import { pairs } from './overview-rest.js';

/** An input or output that leads to its node. @param {any} panel */
export const leading = (panel) => (/** @type {any} */ one) =>
  html`${panel.link('graph', '', one.name, one.name)}
    <span class="type">${one.dtype || one.type ? brief(one) : plain(one.op ?? '')}</span>`;

/** How many values there are in arrays. @param {any[]} list */
const valuesIn = (list) =>
  list.reduce((/** @type {number} */ sum, one) => sum + elementsOf(one.shape ?? one.array?.shape), 0);

/** A GraphDef, such as a frozen one. @param {any} panel @param {any} o */
export function graphOverview(panel, o) {
  const constants = panel.constants.value;
  const ops = panel.ops.value?.ops;
  const custom = ops?.items.filter((/** @type {any} */ one) => one.from === 'custom') ?? [];
  return html`${headline({
    kind: ['GraphDef', o.versions?.producer && `version ${o.versions.producer}`],
    name: nameOf(panel.session.about.path),
    inputs: o.inputs.items,
    outputs: o.outputs.items,
    show: leading(panel),
    figures: [
      {
        name: 'Constants',
        value: constants ? size(constants.size) : panel.constants.error ? '?' : null,
        more:
          constants &&
          `${count(valuesIn(constants.constants.items))} values in ${counted(constants.constants.total, 'constant')}`,
      },
      { name: 'Nodes', value: count(o.nodes) },
      o.functions ? { name: 'Functions', value: count(o.functions) } : undefined,
      ops
        ? {
            name: 'Operations',
            value: counted(ops.total, 'kind'),
            more: custom.length
              ? html`<strong>${counted(custom.length, 'custom one')}</strong>:
                  ${custom.map((/** @type {any} */ one) => plain(one.op)).join(', ')}`
              : 'none custom',
          }
        : undefined,
    ],
  })}
  ${largest(panel, constants?.constants.items ?? [])}`;
}

/** @param {any} panel @param {any[]} constants @param {string} [title] */
export const largest = (panel, constants, title = 'Largest constants') =>
  constants.length
    ? html`<h2>${title}</h2>
        <div class="scroll box" tabindex="0" role="group" aria-label="Table of constants">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Shape</th>
                <th scope="col" class="number">Size</th>
              </tr>
            </thead>
            <tbody>
              ${constants.slice(0, 6).map(
                (one) =>
                  html`<tr>
                    <td>
                      ${panel.link('bytes', one.function ? `${one.function}:${one.node}` : one.node, one.node)}${one.function ? html` <span class="dim small">in ${plain(one.function)}</span>` : nothing}
                    </td>
                    <td><span class="type">${brief(one)}</span></td>
                    <td class="number">${size(one.size)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`
    : nothing;

/** keras_metadata.pb. @param {any} panel @param {any} o */
export function kerasOverview(panel, o) {
  const { model } = o;
  const { training } = model;
  const shape = model.input_shape;
  const one = Array.isArray(shape) && shape.every((d) => d === null || typeof d === 'number');
  return html`${headline({
    kind: ['Keras metadata', plain(model.class), model.keras_version && `Keras ${plain(model.keras_version)}`],
    name: model.name ?? nameOf(panel.session.about.path),
    inputs: [],
    outputs: [],
    figures: [
      {
        name: 'Parameters',
        value: `${model.parameters_complete ? '' : '≥ '}${count(model.parameters)}`,
        more: `${count(model.trainable_parameters)} trainable`,
      },
      { name: 'Layers', value: count(o.num_layers - 1) },
      one ? { name: 'Input shape', value: `[${shape.map((d) => d ?? '?').join(',')}]` } : undefined,
    ],
  })}
  ${panel.layerLines(o)}
  ${
    training
      ? html`<h2>Training</h2>
          ${pairs([
            ['Optimizer', training.optimizer && plain(training.optimizer)],
            ['Learning rate', training.optimizer_config?.learning_rate],
            ['Loss', training.loss && html`<code>${plain(JSON.stringify(training.loss))}</code>`],
            ['Metrics', training.metrics && html`<code>${plain(JSON.stringify(training.metrics))}</code>`],
          ])}`
      : nothing
  }`;
}

/** A SameDiff zip or graph file. @param {any} panel @param {any} o */
export function sameDiffOverview(panel, o) {
  const { graph, parameters } = o;
  const tag = panel.tag.value;
  return html`${headline({
    kind: [plain(o.format ?? 'SameDiff'), o.default_tag && `tag: ${plain(o.default_tag)}, the newest`],
    name: nameOf(panel.session.about.path),
    inputs: o.inputs?.items ?? [],
    outputs: o.outputs?.items ?? [],
    show: leading(panel),
    figures: [
      { name: 'Parameters', value: parameters ? count(parameters.total) : '?' },
      parameters && { name: 'Weights', value: size(parameters.bytes), more: counted(parameters.tensors, 'variable') },
      { name: 'File', value: size(o.bytes ?? panel.session.about.size) },
      graph && { name: 'Operations', value: count(o.nodes) },
      o.tags && { name: 'Tags', value: count(o.tags.total) },
      tag && {
        name: 'Training',
        value: trainer(tag.training_config),
        more: tag.training_config ? panel.link('training', '', 'its configuration') : undefined,
      },
    ],
  })}
  ${o.tags?.total ? tags(panel, o.tags) : nothing}`;
}

/** Which updater. @param {any} config */
export const trainer = (config) =>
  config ? plain(config.updater?.['@class']?.split('.').pop() ?? 'configured') : html`<span class="dim">none</span>`;

/** @param {any} panel @param {any} list */
const tags = (panel, { total, items }) =>
  html`<h2>${counted(total, 'tag')}</h2>
    <div class="scroll box" tabindex="0" role="group" aria-label="Table of tags">
      <table>
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col" class="number">graph.fb</th>
            <th scope="col" class="number">params/</th>
            <th scope="col" class="number">updater/</th>
            <th scope="col">Training</th>
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (/** @type {any} */ t) =>
              html`<tr>
                <td>
                  ${panel.link('training', t.tag, t.tag, '', { tag: t.tag })}${t.default ? html` <span class="chip">default tag</span>` : nothing}
                </td>
                <td class="number">${t.graph_bytes === null ? '–' : size(t.graph_bytes)}</td>
                <td class="number">
                  ${size(t.parameters.bytes)}<br /><span class="dim small">${counted(t.parameters.files, 'file')}</span>
                </td>
                <td class="number">${t.updater.bytes ? size(t.updater.bytes) : '–'}</td>
                <td>${t.training_config ? 'configured' : '–'}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
