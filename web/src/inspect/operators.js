/** Tables of the operators of models: the names of their inputs, and a sentence on each, loaded on demand. */

/** @import { Engine } from '../wasm/engine.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { ModelKind, QuestionName } from './asked.js' */

/** @typedef {() => Promise<{ default: string }>} Load a table that the build makes (scripts/operators.js) */

// @ts-ignore
const onnx = () => import('./operators/onnx.js');
// @ts-ignore
const tensorflow = () => import('./operators/tensorflow.js');
// @ts-ignore
const coreml = () => import('./operators/coreml.js');

/** @type {Partial<Record<ModelKind, Load>>} */
const tables = { onnx, coreml, saved_model: tensorflow, graph_def: tensorflow, meta_graph: tensorflow };

/**
 * Gives the table to a model, before the first question that uses it. Without it an answer is correct but lacks these
 * texts. If it cannot be loaded, such as next to a standalone script, the next such question tries again.
 *
 * @param {Instance} instance @param {Engine} engine @param {ModelKind} kind @param {Load} [load]
 */
export function operatorsFor(instance, engine, kind, load = tables[kind]) {
  // Questions that use the table: Core ML's models themselves name the roles of inputs.
  const asking = /** @type {QuestionName[]} */ (kind === 'coreml' ? ['node'] : ['node', 'nodes']);
  let isThere = false;
  /** @param {QuestionName} question @param {() => void} check throws if the model was closed in the meantime */
  return async (question, check) => {
    if (isThere || !load || !asking.includes(question)) return;
    const found = await load().catch(() => undefined);
    check();
    if (!found) return;
    const bytes = new TextEncoder().encode(found.default);
    isThere = instance.scope((scope) => engine.call('set_operators', scope.bytes(bytes), bytes.length)) !== 0;
  };
}
