/** Facts about the operators of models, loaded when needed: names of their inputs and a sentence about each. */

/** @import { Engine } from '../wasm/engine.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { ModelKind, QuestionName } from './asked.js' */

/** @typedef {() => Promise<{ default: string }>} Load a table, which the build makes (scripts/operators.js) */

// @ts-ignore
const onnx = () => import('./operators/onnx.js');
// @ts-ignore
const tensorflow = () => import('./operators/tensorflow.js');
// @ts-ignore
const coreml = () => import('./operators/coreml.js');

/** @type {Partial<Record<ModelKind, Load>>} */
const tables = { onnx, coreml, saved_model: tensorflow, graph_def: tensorflow, meta_graph: tensorflow };

/**
 * Gives the table to a model, before the first question that it is for. Without it the answer
 * lacks what it says, and is right: where it cannot be loaded, as next to a script that stands alone,
 * the next such question tries again.
 *
 * @param {Instance} instance
 * @param {Engine} engine
 * @param {ModelKind} kind
 * @param {Load} [load]
 */
export function operatorsFor(instance, engine, kind, load = tables[kind]) {
  // Whose answers have something of it: Core ML's models say themselves what inputs are for.
  const asking = /** @type {QuestionName[]} */ (kind === 'coreml' ? ['node'] : ['node', 'nodes']);
  let isThere = false;
  /** @param {QuestionName} question @param {() => void} check throws if the model was closed meanwhile */
  return async (question, check) => {
    if (isThere || !load || !asking.includes(question)) return;
    const found = await load().catch(() => undefined);
    check();
    if (!found) return;
    const bytes = new TextEncoder().encode(found.default);
    isThere = instance.scope((scope) => engine.call('set_operators', scope.bytes(bytes), bytes.length)) !== 0;
  };
}
