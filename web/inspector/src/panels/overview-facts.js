/**
 * The facts of the overview: the kind of model and its figures at its beginning, and at its end what is rarely needed.
 */
import { css, html, nothing } from 'lit';
import { attributeText, brief, count, counted, plain, size } from '../format.js';
import { priceOf } from '../panel.js';

/** @import { Figure } from './headline.js' */
/** @import { Overview } from './overview.js' */

/** A long text was not read. @param {any} doc */
export const text = (doc) => (doc?.omitted ? `a text of ${size(doc.omitted.size)}` : doc && plain(doc));

/** The meta graph that is looked at. @param {any} o */
const metaGraphOf = ({ meta_graphs: all, meta_graph: number }) =>
  all?.items.find((/** @type {any} */ one) => one.number === number) ?? {};

/** @param {any} opset */
const opset = ({ domain, version }) => `${domain ? `${plain(domain)} ` : ''}${version}`;

/** @param {any} tags */
const tagsOf = ({ tags }) => (tags?.length ? `tags: ${tags.map(plain).join(', ')}` : 'no tags');

/** @param {string} word @param {any} value */
const said = (word, value) => value && `${word} ${value}`;

/** The kind in parts; missing parts are left out.
 * @type {Record<string, (o: any, keras: any) => unknown[]>} */
const KINDS = {
  saved_model: (o, keras) => [
    o.schema_version === undefined ? 'MetaGraphDef' : 'SavedModel',
    keras && (keras.class ? `Keras ${plain(keras.class)}` : 'Keras'),
    tagsOf(metaGraphOf(o)),
  ],
  graph_def: (o) => ['GraphDef', said('version', o.versions?.producer)],
  checkpoint: (o) => ['checkpoint', said('version', o.checkpoint_version)],
  keras_metadata: ({ model }) => ['Keras metadata', plain(model.class), said('Keras', plain(model.keras_version))],
  onnx: ({ opset_imports: sets, producer }) => [
    'ONNX',
    sets.items.length && `opset ${sets.items.map(opset).join(', ')}`,
    producer.name && said('by', [producer.name, producer.version].filter(Boolean).map(plain).join(' ')),
  ],
  coreml: (o) => ['Core ML', o.type && plain(o.type), text(o.opset), said('by', text(o.author))],
  samediff_zip: (o) => [plain(o.format), o.default_tag && `tag: ${plain(o.default_tag)}, the newest`],
  samediff_graph: () => ['SameDiff', 'FlatBuffers'],
};

/** @param {string} kind @param {any} o @param {any} keras */
export const kindWords = (kind, o, keras) => KINDS[kind]?.(o, keras) ?? [kind];

/**
 * Parameters and bytes, from wherever the model has them. @param {Overview} panel @param {any} o @returns {Figure[]}
 */
function weights(panel, { unread, model, parameters, variables, nodes }) {
  const isPriced = priceOf(panel.constants);
  if (unread)
    return [
      { name: 'Parameters', value: isPriced ? '?' : null },
      { name: 'Weights', value: `about ${size(unread.size)}`, more: isPriced ? 'not read' : 'being looked through' },
    ];
  if (model)
    return [
      {
        name: 'Parameters',
        value: `${model.parameters_complete ? '' : '≥ '}${count(model.parameters)}`,
        more: `${count(model.trainable_parameters)} trainable`,
      },
    ];
  if (!parameters) return [{ name: 'Parameters', value: '?' }];
  const { size: all, constants, parameters: read } = panel.constants.value ?? {};
  // The overview has not read a large graph.
  const isUnread = parameters.partial && !parameters.tensors;
  const { total, trainable, tensors, size: stored } = (isUnread && read) || parameters;
  if (!tensors && nodes === undefined)
    return constants?.total
      ? [{ name: 'Constants', value: size(all), more: counted(constants.total, 'constant') }]
      : [];
  return [
    {
      name: 'Parameters',
      value: count(total),
      more: trainable === null || trainable === total ? undefined : `${count(trainable)} trainable`,
    },
    { name: 'Weights', value: size(stored), more: counted(tensors, variables?.total ? 'variable' : 'tensor') },
  ];
}

/**
 * Nodes, including those of graphs besides the model's own. @param {Overview} panel @param {any} o @returns {Figure}
 */
function nodes(panel, { nodes: own, functions, function_nodes: called, subgraphs, subgraph_nodes: within }) {
  if (own === undefined) return undefined;
  const parts = [
    functions ? `${called === undefined ? '' : `${count(called)} in `}${counted(functions, 'function')}` : '',
    subgraphs ? `${count(within)} in ${counted(subgraphs, 'subgraph')}` : '',
  ].filter(Boolean);
  return {
    name: 'Nodes',
    value: count(own),
    more: parts.length ? panel.link('functions', '', parts.join(', ')) : undefined,
  };
}

/** @param {{ op: string }[]} ops */
const named = (ops) => ops.map(({ op }) => plain(op)).join(', ');

/** @param {{ op: string }[]} custom @param {{ op: string }[]} [runtime] ONNX Runtime's */
function customs(custom, runtime = []) {
  if (!custom.length && !runtime.length) return 'none custom';
  const own = custom.length
    ? html`<strong>${counted(custom.length, 'custom one')}</strong>: ${named(custom)}`
    : nothing;
  return runtime.length ? html`ONNX Runtime’s: ${named(runtime)}${custom.length ? '; ' : ''}${own}` : own;
}

/** As counted, or as listed by the exporter: then the panel that counts may know more.
 * @param {Overview} panel @param {any} o @returns {Figure} */
function operations(panel, { ops: listed, nodes: own }) {
  const name = 'Operations';
  const { total, custom = [] } = listed ?? {};
  if (total)
    return {
      name,
      value: counted(total, 'kind'),
      more: html`that the exporter lists, ${customs(custom)}; ${panel.link('operations', '', 'all, counted')}`,
    };
  if (own === undefined) return undefined;
  const { ops } = panel.ops.value ?? {};
  if (!ops) return { name, value: priceOf(panel.ops) ? '?' : null };
  const from = (/** @type {string} */ whose) => ops.items.filter((/** @type {any} */ one) => one.from === whose);
  return { name, value: counted(ops.total, 'kind'), more: customs(from('custom'), from('onnxruntime')) };
}

/** @param {any} o @returns {Figure} */
function tensorflow({ kind, ...o }) {
  if (kind !== 'saved_model') return undefined;
  const { tensorflow_version: version } = metaGraphOf(o);
  return { name: 'TensorFlow', value: version ? plain(version) : html`<span class="dim">unknown</span>` };
}

/** Which updater a tag of a SameDiff file is trained with. @param {Overview} panel @returns {Figure} */
function training(panel) {
  const tag = panel.tag.value;
  const config = tag?.training_config;
  return (
    tag && {
      name: 'Training',
      value: config
        ? plain(config.updater?.['@class']?.split('.').pop() ?? 'configured')
        : html`<span class="dim">none</span>`,
      more: config ? panel.link('training', '', 'its configuration') : undefined,
    }
  );
}

/** @param {Overview} panel @param {any} o @param {any} keras @returns {Figure[]} */
export function figuresOf(panel, o, keras) {
  const layers = keras?.layers ?? o.num_layers;
  const { input_shape: input } = o.model ?? {};
  const isOne = Array.isArray(input) && input.every((d) => d === null || typeof d === 'number');
  return [
    ...weights(panel, o),
    layers ? { name: 'Layers', value: count(layers - 1) } : undefined,
    isOne ? { name: 'Input shape', value: `[${input.map((d) => d ?? '?').join(',')}]` } : undefined,
    nodes(panel, o),
    operations(panel, o),
    tensorflow(o),
    o.bytes === undefined ? undefined : { name: 'File', value: size(o.bytes) },
    o.tags && { name: 'Tags', value: count(o.tags.total) },
    training(panel),
  ];
}

export const resting = css`
  dl.pairs {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.3rem 1.2rem;
    margin: 0.8rem 0 0;
    font-size: 0.9rem;
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
        html`<dt class="dim">${name}</dt>
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
const entryOf = ({ key, value }) => html`<div><code>${plain(key)}</code> ${text(value)}</div>`;

/** @param {any} setting */
const settingOf = ({ name, value }) => html`<div><code>${plain(name)}</code> ${plain(attributeText(value))}</div>`;

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
  ['Settings', each(o.attributes, settingOf)],
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

/**
 * @param {any} panel the overview
 * @param {any} o
 */
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
