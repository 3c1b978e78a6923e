/** Kinds of models. */

/** Those whose nodes take values by name, and have graphs within them. @param {string} kind */
export const isExported = (kind) => kind === 'onnx' || kind === 'coreml';
