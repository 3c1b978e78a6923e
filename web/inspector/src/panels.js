/** The panels, and the kinds of models that have them. */
import { html } from 'lit';
import './panels/bytes.js';
import './panels/file.js';
import './panels/functions.js';
import './panels/graph.js';
import './panels/layers.js';
import './panels/objects.js';
import './panels/overview.js';
import './panels/search.js';
import './panels/signatures.js';

/** @typedef {import('./session.js').Session} Session */

const tensorflow = ['saved_model', 'graph_def'];
const samediff = ['samediff_zip', 'samediff_graph'];
const all = [...tensorflow, ...samediff, 'keras_metadata'];

/** @type {Record<string, { title: string, kinds: string[], render: (session: Session, at: string, node: string) => unknown }>} */
export const panels = {
  overview: { title: 'Overview', kinds: all, render: (s) => html`<cpb-overview .session=${s}></cpb-overview>` },
  signatures: {
    title: 'Signatures',
    kinds: ['saved_model'],
    render: (s, at) => html`<cpb-signatures .session=${s} .at=${at}></cpb-signatures>`,
  },
  objects: {
    title: 'Objects',
    kinds: ['saved_model'],
    render: (s, at) => html`<cpb-objects .session=${s} .at=${at}></cpb-objects>`,
  },
  layers: {
    title: 'Layers',
    kinds: ['saved_model', 'keras_metadata'],
    render: (s, at) => html`<cpb-layers .session=${s} .at=${at}></cpb-layers>`,
  },
  functions: {
    title: 'Functions',
    kinds: tensorflow,
    render: (s, at) => html`<cpb-functions .session=${s} .at=${at}></cpb-functions>`,
  },
  graph: {
    title: 'Graph',
    kinds: [...tensorflow, ...samediff],
    render: (s, at, node) => html`<cpb-graph .session=${s} .at=${at} .node=${node}></cpb-graph>`,
  },
  bytes: {
    title: 'Bytes',
    kinds: [...tensorflow, ...samediff],
    render: (s, at) => html`<cpb-bytes .session=${s} .at=${at}></cpb-bytes>`,
  },
  file: { title: 'File', kinds: all, render: (s) => html`<cpb-file-map .session=${s}></cpb-file-map>` },
  search: { title: 'Search', kinds: all, render: (s, at) => html`<cpb-search .session=${s} .at=${at}></cpb-search>` },
};
