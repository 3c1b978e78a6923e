/** Kinds of models, in the page's words. panels/overview.js has the layout of their overviews. */

/**
 * @typedef {object} Kind
 * @property {string} label the kind's name
 * @property {string[]} shown on the first page
 * @property {string} files of this kind, in a sentence
 * @property {string} [ending] of a file of only this kind, which is a single message
 * @property {boolean} [exported] nodes take values by name, and have graphs within them
 * @property {string[]} [finds] the things that are searched while typing
 */
/** @type {Record<string, Kind>} */
export const kinds = {
  saved_model: {
    label: 'SavedModel',
    shown: ['saved_model.pb', 'saved_model.cpb'],
    files: 'SavedModels (saved_model.pb or .cpb)',
    finds: ['node', 'layer', 'variable'],
  },
  graph_def: {
    label: 'GraphDef',
    shown: ['frozen graph'],
    files: 'frozen graphs (.pb), meta graphs (.meta)',
    finds: ['node', 'function'],
  },
  keras_metadata: { label: 'Keras metadata', shown: ['keras_metadata.pb'], files: 'keras_metadata.pb' },
  checkpoint: { label: 'checkpoint', shown: ['variables.index'], files: 'checkpoints (.index)', finds: ['tensor'] },
  samediff_zip: { label: 'SameDiff zip', shown: ['SameDiff .zip'], files: 'SameDiff zips (.zip)' },
  samediff_graph: { label: 'SameDiff graph', shown: ['SameDiff .fb'], files: 'SameDiff graphs (.fb)' },
  onnx: {
    label: 'ONNX',
    shown: ['ONNX'],
    files: 'ONNX models (.onnx)',
    ending: 'onnx',
    exported: true,
    finds: ['node', 'value', 'initializer'],
  },
  coreml: {
    label: 'Core ML',
    shown: ['Core ML'],
    files: 'Core ML models (.mlmodel, or the folder .mlpackage)',
    ending: 'mlmodel',
    exported: true,
    finds: ['node', 'value'],
  },
};

/** Whether a file's name has an ending that only one kind has. @param {string} name */
export const hasEnding = (name) => Object.values(kinds).some(({ ending }) => ending && name.endsWith(`.${ending}`));

/** @param {string} kind */
export const isExported = (kind) => kinds[kind]?.exported === true;

/** @param {string} kind */
export const isSameDiff = (kind) => kind.startsWith('samediff');

/**
 * In a SameDiff file the tag is the graph, and takes the place of a function's name in questions.
 * @param {string} question
 */
const tagIsNamed = (question) => ['nodes', 'scopes', 'ops', 'function', 'tag'].includes(question);

/** A question about that tag; '' or nothing for the default one. @template {{ question: string }} Question
 * @param {Question} question @param {string | undefined} tag */
export const aboutTag = (question, tag) =>
  tag ? { ...question, [tagIsNamed(question.question) ? 'name' : 'scope']: tag } : question;
