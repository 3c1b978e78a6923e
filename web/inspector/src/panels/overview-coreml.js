/** The overview of a Core ML model. */
import { html } from 'lit';
import { brief, count, counted, plain } from '../format.js';
import { headline, nameOf } from './headline.js';
import { entry, files, inside, largestWeights, operations, text, weights } from './overview-onnx.js';
import { leading } from './overview-others.js';
import { pairs } from './overview-rest.js';

/** @param {any} panel @param {any} o */
export function coremlOverview(panel, o) {
  return html`${headline({
    kind: ['Core ML', o.type && plain(o.type), o.opset && text(o.opset), o.author && `by ${text(o.author)}`],
    name: nameOf(panel.session.about.path),
    inputs: o.inputs.items,
    outputs: o.outputs.items,
    show: leading(panel),
    figures: [
      ...weights(o),
      { name: 'Nodes', value: count(o.nodes), more: inside(panel, o) },
      operations(panel.ops.value?.ops),
    ],
  })}
  ${files(panel, o.external_data)} ${largestWeights(panel)} ${rest(o)}`;
}

/** @param {any} one */
const feature = (one) =>
  html`<div>
    <code>${plain(one.name)}</code> <span class="type">${brief(one)}</span> ${one.doc ? plain(one.doc) : ''}
  </div>`;

/** What is rarely asked. @param {any} o */
const rest = (o) =>
  html`<details class="rest">
    <summary>More: versions, license, metadata</summary>
    ${pairs([
      ['Specification version', o.specification_version],
      ['Description', text(o.doc)],
      ['Version', text(o.version)],
      ['Author', text(o.author)],
      ['License', text(o.license)],
      ['Function', o.function && plain(o.function)],
      ['Classes', o.classes && counted(o.classes, 'class', 'classes')],
      ['Predicts', text(o.predicted_feature)],
      ['Probabilities', text(o.predicted_probabilities)],
      ['States', o.states.items.length ? o.states.items.map(feature) : undefined],
      ['For training', o.training_inputs.items.length ? o.training_inputs.items.map(feature) : undefined],
      ['Updatable', o.updatable ? 'yes' : undefined],
      ['Metadata', o.metadata.items.length ? o.metadata.items.map(entry) : undefined],
    ])}
  </details>`;
