/** Kinds of models. */

/** Those whose nodes take values by name, and have graphs within them. @param {string} kind */
export const isExported = (kind) => kind === 'onnx' || kind === 'coreml';

/** @param {string} kind */
export const isSameDiff = (kind) => kind.startsWith('samediff');

/** Of a SameDiff file the tag is the graph: where other kinds' questions name a function. @param {string} question */
const tagIsNamed = (question) => ['nodes', 'scopes', 'ops', 'function', 'tag'].includes(question);

/** A question about that tag; '' or nothing for the default one. @template {{ question: string }} Question
 * @param {Question} question @param {string | undefined} tag */
export const aboutTag = (question, tag) =>
  tag ? { ...question, [tagIsNamed(question.question) ? 'name' : 'scope']: tag } : question;
