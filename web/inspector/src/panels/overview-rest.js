/** Facts that are rarely needed: folded at the end of the overview. */
import { css, html, nothing } from 'lit';
import { brief, count, counted, plain, size } from '../format.js';
import { metaGraphOf, text } from './overview-figures.js';

export const resting = css`
  dl.pairs {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.3rem 1.2rem;
    margin: 0.8rem 0 0;
    font-size: 0.9rem;
  }
  dl.pairs dt {
    color: var(--dim);
  }
  dl.pairs dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  @container (max-width: 40rem) {
    dl.pairs {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
    dl.pairs dd {
      margin-bottom: 0.5rem;
    }
  }
`;

/** Those that have a value. @param {[string, unknown][]} list */
const told = (list) => list.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== 0);

/** Names and values; those without a value are left out. @param {[string, unknown][]} list */
export const pairs = (list) =>
  html`<dl class="pairs">
    ${told(list).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;

/** @param {any} g a meta graph */
const metaGraph = (g) =>
  html`<div>
    ${count(g.number)}:
    ${g.tags.length ? g.tags.map((/** @type {string} */ tag) => html`<code class="chip">${plain(tag)}</code>`) : 'no tags'}
    <span class="dim">${counted(g.signatures, 'signature')}${g.graph ? `, graph of ${size(g.graph.size)}` : ''}</span>
  </div>`;

/** @param {any} objects */
const kinds = (objects) =>
  objects &&
  html`${count(objects.total)}:
  ${Object.entries(objects.kinds)
    .map(([kind, n]) => `${count(Number(n))} ${kind.replaceAll('_', ' ')}`)
    .join(', ')}${objects.unreachable ? `; ${count(objects.unreachable)} not reachable from the root` : ''}`;

/** @param {any} entry */
const entryOf = ({ key, value }) => html`<div><code>${plain(key)}</code> ${plain(value)}</div>`;

/** @param {any} one */
const featureOf = (one) =>
  html`<div>
    <code>${plain(one.name)}</code> <span class="type">${brief(one)}</span> ${one.doc ? plain(one.doc) : ''}
  </div>`;

/** @param {any} set */
const setOf = ({ domain, version }) => html`<div>${plain(domain || 'ai.onnx')} ${version}</div>`;

/** @param {any} step */
const stepOf = ({ initialization_nodes: first, algorithm_nodes: each }) =>
  html`<div>${counted(first, 'node')} to begin with, ${counted(each, 'node')} of a step</div>`;

/** @param {string} value */
const chip = (value) => html`<code class="chip">${plain(value)}</code>`;

/** All of a page, or list, if there is any. @param {any} page @param {(one: any) => unknown} show */
function each(page, show) {
  const items = page?.items ?? page ?? [];
  return items.length ? items.map(show) : undefined;
}

/** For any kind of model. @param {any} o @returns {[string, unknown][]} */
const written = (o) => [
  ['IR version', o.ir_version],
  ['Specification version', o.specification_version],
  ['Operation sets', each(o.opset_imports, setOf)],
  ['Model version', o.model_version],
  ['Version', text(o.version)],
  ['Domain', o.domain && plain(o.domain)],
  ['Description', text(o.doc)],
  ['Of the graph', text(o.graph?.doc)],
  ['Author', text(o.author)],
  ['License', text(o.license)],
  ['Function', o.function && plain(o.function)],
  ['Classes', o.classes && counted(o.classes, 'class', 'classes')],
  ['Predicts', text(o.predicted_feature)],
  ['Probabilities', text(o.predicted_probabilities)],
  ['States', each(o.states, featureOf)],
  ['For training', each(o.training_inputs, featureOf)],
  ['Updatable', o.updatable ? 'yes' : undefined],
  ['Metadata', each(o.metadata, entryOf)],
  ['Value types', o.graph?.value_infos && `of ${counted(o.graph.value_infos, 'value')}`],
  ['Quantization', o.graph?.quantization_annotations && `of ${counted(o.graph.quantization_annotations, 'tensor')}`],
  ['Training', each(o.training, stepOf)],
];

/** For a SavedModel. @param {any} panel @param {any} o @returns {[string, unknown][]} */
function saved(panel, o) {
  const graph = metaGraphOf(o);
  const { stored } = o.variables ?? {};
  return [
    ['Meta graphs', each(o.meta_graphs, metaGraph)],
    ['TensorFlow', [graph.tensorflow_version, graph.tensorflow_git_version].filter(Boolean).map(plain).join(', ')],
    ['Graph and functions', graph.graph && size(graph.graph.size)],
    ['Objects', kinds(o.objects)],
    ['Concrete functions', o.concrete_functions && panel.link('functions', '', count(o.concrete_functions))],
    [
      'Stored values',
      stored && `${counted(stored.tensors, 'tensor')}, ${size(stored.size)}, in ${counted(stored.shards, 'file')}`,
    ],
    ['Run on loading', each(o.initializers, ({ operation }) => chip(operation))],
    ['Collections', each(o.collections, ({ name }) => chip(name))],
    ['Checkpoints', o.saver && `format ${plain(o.saver.checkpoints)}${o.saver.sharded ? ', sharded' : ''}`],
    ['Assets', each(o.assets, ({ file }) => chip(file))],
  ];
}

/** @param {any} panel the overview @param {any} o */
export function rest(panel, o) {
  const marks = Object.entries(panel.fingerprint.value || o.fingerprint || {});
  const facts = told([...written(o), ...saved(panel, o)]);
  if (!facts.length && !marks.length) return nothing;
  return html`<details class="rest" open>
    <summary>Versions, metadata${o.signatures ? ', objects, fingerprint' : ''}</summary>
    ${pairs(facts)}
    ${
      marks.length
        ? html`<h3>Fingerprint</h3>
            ${pairs(marks.map(([name, value]) => [name.replaceAll('_', ' '), html`<code>${plain(typeof value === 'object' ? JSON.stringify(value) : value)}</code>`]))}`
        : nothing
    }
  </details>`;
}
