/** The overview of an ONNX model. */
import { html, nothing } from 'lit';
import { count, counted, plain, size } from '../format.js';
import { headline, nameOf } from './headline.js';
import { largest, leading } from './overview-others.js';
import { pairs } from './overview-rest.js';

/** A number that may be beyond those that JavaScript has. @param {number | string} n */
export const exact = (n) => (typeof n === 'number' ? count(n) : n);

/** @param {any} opset */
const opset = ({ domain, version }) => `${domain ? `${plain(domain)} ` : ''}${version}`;

/** A long text was not read. @param {any} doc */
export const text = (doc) => (doc?.omitted ? `a text of ${size(doc.omitted.size)}` : doc && plain(doc));

/** Who wrote it. @param {any} producer */
const producer = ({ name, version }) => name && `by ${[name, version].filter(Boolean).map(plain).join(' ')}`;

/** @param {any} panel @param {any} o */
export function onnxOverview(panel, o) {
  const { graph } = o;
  return html`${headline({
    kind: [
      'ONNX',
      o.opset_imports.items.length && `opset ${o.opset_imports.items.map(opset).join(', ')}`,
      producer(o.producer),
    ],
    name: graph?.name || nameOf(panel.session.about.path),
    inputs: o.inputs.items,
    outputs: o.outputs.items,
    show: leading(panel),
    figures: [
      ...(o.unread
        ? [
            { name: 'Parameters', value: null },
            { name: 'Weights', value: `about ${size(o.unread.size)}`, more: 'being looked through' },
          ]
        : weights(o)),
      { name: 'Nodes', value: count(o.nodes), more: inside(panel, o) },
      operations(panel.ops.value?.ops),
    ],
  })}
  ${files(panel, o.external_data ?? [])} ${largestWeights(panel)} ${rest(o)}`;
}

/** How many weights there are, wherever the model has them. @param {any} o @returns {import('./headline.js').Figure[]} */
export const weights = ({ parameters: { total, tensors, size: bytes } }) => [
  { name: 'Parameters', value: exact(total) },
  { name: 'Weights', value: sizeOf(bytes), more: `${exact(tensors)} ${tensors === 1 ? 'tensor' : 'tensors'}` },
];

/** @param {any} panel */
export const largestWeights = (panel) =>
  largest(
    panel,
    (panel.constants.value?.constants.items ?? []).filter((/** @type {any} */ one) => one.use !== 'constant'),
    'Largest weights',
  );

/** @param {number | string} bytes */
const sizeOf = (bytes) => (typeof bytes === 'number' ? size(bytes) : `${bytes} B`);

/** Graphs beside the model's own. @param {any} panel @param {any} o */
export function inside(panel, { functions, function_nodes: own, subgraphs, subgraph_nodes: within }) {
  const parts = [
    functions ? `${count(own)} in ${counted(functions, 'function')}` : '',
    subgraphs ? `${count(within)} in ${counted(subgraphs, 'subgraph')}` : '',
  ].filter(Boolean);
  return parts.length ? panel.link('functions', '', parts.join(', ')) : undefined;
}

/** @param {any} ops @returns {import('./headline.js').Figure} */
export function operations(ops) {
  if (!ops) return { name: 'Operations', value: null };
  const custom = ops.items.filter((/** @type {any} */ one) => one.from === 'custom');
  return {
    name: 'Operations',
    value: counted(ops.total, 'kind'),
    more: custom.length
      ? html`<strong>${counted(custom.length, 'custom one')}</strong>:
          ${custom.map((/** @type {any} */ one) => plain(one.op)).join(', ')}`
      : 'none custom',
  };
}

/** The files beside the model. @param {any} panel @param {any[]} list */
export const files = (panel, list) =>
  list.length
    ? html`<h2>Values in ${counted(list.length, 'other file')}</h2>
        <div class="scroll box" tabindex="0" role="group" aria-label="Table of files">
          <table>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col" class="number">Tensors</th>
                <th scope="col" class="number">Size</th>
              </tr>
            </thead>
            <tbody>
              ${list.map(
                (one) =>
                  html`<tr>
                    <td><code>${plain(one.location)}</code></td>
                    <td class="number">${count(one.tensors)}</td>
                    <td class="number">${size(one.bytes)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
        <p class="dim">They are read from the model's folder when values are looked at.</p>`
    : nothing;

/** @param {any} entry */
export const entry = ({ key, value }) => html`<div><code>${plain(key)}</code> ${plain(value)}</div>`;

/** What is rarely asked. @param {any} o */
const rest = (o) =>
  html`<details class="rest">
    <summary>More: versions, metadata, training</summary>
    ${pairs([
      ['IR version', o.ir_version],
      [
        'Operation sets',
        o.opset_imports.items.map(
          (/** @type {any} */ one) => html`<div>${plain(one.domain || 'ai.onnx')} ${one.version}</div>`,
        ),
      ],
      ['Model version', o.model_version],
      ['Domain', o.domain && plain(o.domain)],
      ['Description', text(o.doc)],
      ['Of the graph', text(o.graph?.doc)],
      ['Metadata', o.metadata.items.length ? o.metadata.items.map(entry) : undefined],
      ['Value types', o.graph?.value_infos && `of ${counted(o.graph.value_infos, 'value')}`],
      [
        'Quantization',
        o.graph?.quantization_annotations && `of ${counted(o.graph.quantization_annotations, 'tensor')}`,
      ],
      [
        'Training',
        o.training.items.length
          ? o.training.items.map(
              (/** @type {any} */ one) =>
                html`<div>
                  ${counted(one.initialization_nodes, 'node')} to begin with, ${counted(one.algorithm_nodes, 'node')} of
                  a step
                </div>`,
            )
          : undefined,
      ],
    ])}
  </details>`;
