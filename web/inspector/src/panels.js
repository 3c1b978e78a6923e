/** The panels, and the kinds of models that have them. */
import { isExported, kinds } from './model/kinds.js';
import './panels/bytes.js';
import './panels/compare.js';
import './panels/file.js';
import './panels/functions.js';
import './panels/graph.js';
import './panels/layers.js';
import './panels/objects.js';
import './panels/operations.js';
import './panels/overview.js';
import './panels/search.js';
import './panels/signatures.js';
import './panels/training.js';
import './panels/variables.js';

const tensorflow = ['saved_model', 'graph_def'];
const samediff = ['samediff_zip', 'samediff_graph'];
const exported = Object.keys(kinds).filter(isExported);
const graphs = [...tensorflow, ...samediff, ...exported];
const all = [...graphs, 'keras_metadata', 'checkpoint'];

/**
 * In the order of their tabs; `tag` is their element's.
 * @type {Record<string, { title: string, titles?: Record<string, string>, kinds: string[], tag: string }>}
 */
export const panels = {
  overview: { title: 'Overview', kinds: all, tag: 'cpb-overview' },
  graph: { title: 'Graph', kinds: graphs, tag: 'cpb-graph' },
  signatures: { title: 'Signatures', kinds: ['saved_model'], tag: 'cpb-signatures' },
  layers: { title: 'Layers', kinds: all, tag: 'cpb-layers' },
  variables: {
    title: 'Variables',
    titles: Object.fromEntries(exported.map((kind) => [kind, 'Weights'])),
    kinds: ['saved_model', 'checkpoint', ...samediff, ...exported],
    tag: 'cpb-variables',
  },
  operations: { title: 'Operations', kinds: graphs, tag: 'cpb-operations' },
  training: { title: 'Training', kinds: samediff, tag: 'cpb-training' },
  functions: { title: 'Functions', kinds: [...tensorflow, ...exported], tag: 'cpb-functions' },
  objects: { title: 'Objects', kinds: ['saved_model'], tag: 'cpb-objects' },
  bytes: { title: 'Bytes', kinds: graphs, tag: 'cpb-bytes' },
  file: { title: 'File', kinds: all, tag: 'cpb-file-map' },
  compare: { title: 'Compare', kinds: all, tag: 'cpb-compare' },
  search: { title: 'Search', kinds: all, tag: 'cpb-search' },
};

/** Which of them an overview says are empty. @type {Record<string, (o: any) => boolean>} */
const empty = {
  signatures: ({ signatures }) => signatures?.total === 0,
  variables: ({ kind, variables }) => kind === 'saved_model' && variables?.total === 0,
  training: ({ tags }) => tags?.items.every((/** @type {any} */ one) => !one.training_config && !one.updater.bytes),
  functions: ({ functions, subgraphs, concrete_functions: concrete }) =>
    !functions && !subgraphs && !concrete && functions !== undefined,
  objects: ({ objects }) => !objects?.total,
};

/** Whether a panel would have nothing to show. @param {string} name @param {any} overview if it is known */
export const isEmpty = (name, overview) => Boolean(overview && empty[name]?.(overview));

/** What a panel is called for a kind of model. @param {string} name @param {string} kind */
export const titleOf = (name, kind) => panels[name]?.titles?.[kind] ?? panels[name]?.title;
