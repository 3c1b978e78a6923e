/** The panels, and the kinds of models that have them. */
import { html } from 'lit';
import { isExported, kinds } from './model/kinds.js';
import './panels/bytes.js';
import './panels/compare.js';
import './panels/file.js';
import './panels/functions.js';
import './panels/graph.js';
import './panels/layers.js';
import './panels/name-layers.js';
import './panels/objects.js';
import './panels/operations.js';
import './panels/overview.js';
import './panels/search.js';
import './panels/signatures.js';
import './panels/training.js';
import './panels/variables.js';

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./inspector.js').View} View */

const tensorflow = ['saved_model', 'graph_def'];
const samediff = ['samediff_zip', 'samediff_graph'];
const exported = Object.keys(kinds).filter(isExported);
const graphs = [...tensorflow, ...samediff, ...exported];
const all = [...graphs, 'keras_metadata'];

/**
 * In the order of their tabs.
 * @type {Record<string, { title: string, titles?: Record<string, string>, kinds: string[],
 *   render: (session: Session, at: string, node: string, view: View) => unknown }>}
 */
export const panels = {
  overview: {
    title: 'Overview',
    kinds: all,
    render: (session, at, node, view) =>
      html`<cpb-overview .session=${session} .at=${at} .node=${node} .view=${view}></cpb-overview>`,
  },
  graph: {
    title: 'Graph',
    kinds: graphs,
    render: (session, at, node, view) =>
      html`<cpb-graph .session=${session} .at=${at} .node=${node} .view=${view}></cpb-graph>`,
  },
  signatures: {
    title: 'Signatures',
    kinds: ['saved_model'],
    render: (session, at, node, view) =>
      html`<cpb-signatures .session=${session} .at=${at} .node=${node} .view=${view}></cpb-signatures>`,
  },
  layers: {
    title: 'Layers',
    kinds: ['saved_model', 'keras_metadata', ...exported],
    render: (session, at, node, view) =>
      isExported(session.about.kind)
        ? html`<cpb-name-layers .session=${session} .at=${at} .node=${node} .view=${view}></cpb-name-layers>`
        : html`<cpb-layers .session=${session} .at=${at} .node=${node} .view=${view}></cpb-layers>`,
  },
  variables: {
    title: 'Variables',
    titles: Object.fromEntries(exported.map((kind) => [kind, 'Weights'])),
    kinds: ['saved_model', 'checkpoint', ...samediff, ...exported],
    render: (session, at, node, view) =>
      html`<cpb-variables .session=${session} .at=${at} .node=${node} .view=${view}></cpb-variables>`,
  },
  operations: {
    title: 'Operations',
    kinds: graphs,
    render: (session, at, node, view) =>
      html`<cpb-operations .session=${session} .at=${at} .node=${node} .view=${view}></cpb-operations>`,
  },
  training: {
    title: 'Training',
    kinds: samediff,
    render: (session, at, node, view) =>
      html`<cpb-training .session=${session} .at=${at} .node=${node} .view=${view}></cpb-training>`,
  },
  functions: {
    title: 'Functions',
    kinds: [...tensorflow, ...exported],
    render: (session, at, node, view) =>
      html`<cpb-functions .session=${session} .at=${at} .node=${node} .view=${view}></cpb-functions>`,
  },
  objects: {
    title: 'Objects',
    kinds: ['saved_model'],
    render: (session, at, node, view) =>
      html`<cpb-objects .session=${session} .at=${at} .node=${node} .view=${view}></cpb-objects>`,
  },
  bytes: {
    title: 'Bytes',
    kinds: graphs,
    render: (session, at, node, view) =>
      html`<cpb-bytes .session=${session} .at=${at} .node=${node} .view=${view}></cpb-bytes>`,
  },
  file: {
    title: 'File',
    kinds: [...all, 'checkpoint'],
    render: (session, at, node, view) =>
      html`<cpb-file-map .session=${session} .at=${at} .node=${node} .view=${view}></cpb-file-map>`,
  },
  compare: {
    title: 'Compare',
    kinds: all,
    render: (session, at, node, view) =>
      html`<cpb-compare .session=${session} .at=${at} .node=${node} .view=${view}></cpb-compare>`,
  },
  search: {
    title: 'Search',
    kinds: all,
    render: (session, at, node, view) =>
      html`<cpb-search .session=${session} .at=${at} .node=${node} .view=${view}></cpb-search>`,
  },
};

/** What a panel is called for a kind of model. @param {string} name @param {string} kind */
export const titleOf = (name, kind) => panels[name]?.titles?.[kind] ?? panels[name]?.title;
