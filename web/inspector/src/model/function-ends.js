/** What a function takes and returns, by names that say something. */
import { callsOf } from './small-graph.js';
import { tensorNamed } from './tensors.js';

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Signal} Signal */
/** @typedef {import('./folded-graph.js').Node} Node */
/** @typedef {import('./folded-graph.js').Input} Input */
/** @typedef {import('./folded-graph.js').Output} Output */
/** @typedef {import('./attachments.js').Attached} Attached */
/** @typedef {import('./signature-names.js').Names} Names */

/** Functions that call each other are followed so far, and only through graphs of so many nodes. */
const [DEEP, SMALL] = [6, 4000];
/** These choose by their first input and hand on the others. */
const CHOICES = new Set(['If', 'StatelessIf', 'Case', 'StatelessCase']);

const KINDS = new Set(['variable', 'constant']);

/** @param {any} capture of a function's answer @returns {Attached} */
const captured = ({ argument, name, path, kind, dtype, shape, registered_name: type }) => ({
  id: argument,
  name: name || (kind === 'constant' ? argument : path) || argument,
  is: KINDS.has(kind) ? kind : 'resource',
  dtype: dtype ?? (kind === 'resource' ? type?.replace(/^tf\./, '') : undefined),
  shape,
  path,
});

/**
 * The node that calls a function, in one that is small.
 *
 * @param {Ask} ask @param {string} name @param {string | null} caller @param {Signal} how
 * @returns {Promise<Node | undefined>}
 */
async function callIn(ask, name, caller, how) {
  const question = { question: 'nodes', name: caller ?? undefined, count: SMALL };
  const { nodes } = await ask(question, how);
  return nodes.items.find(
    (/** @type {Node} */ node) => node.op === name || callsOf(node).some((one) => one.function === name),
  );
}

/**
 * What a function's resources are: its own captures, or what it is called with.
 *
 * @param {Ask} ask @param {any} answer `function` @param {Signal} how @param {number} [depth]
 * @returns {Promise<Map<string, Attached>>}
 */
async function resourcesOf(ask, answer, how, depth = 0) {
  /** @type {Map<string, Attached>} */
  const known = new Map((answer.captures ?? []).map((/** @type {any} */ one) => [one.argument, captured(one)]));
  const left = answer.inputs.some((/** @type {any} */ { name, dtype }) => dtype === 'resource' && !known.has(name));
  const caller = answer.called_by.find((/** @type {any} */ one) => one.function && one.function !== answer.name);
  if (!left || !caller || depth === DEEP) return known;
  const around = await ask({ question: 'function', name: caller.function }, how);
  const call = around.nodes <= SMALL ? await callIn(ask, answer.name, caller.function, how) : undefined;
  if (!call) return known;
  const outer = await resourcesOf(ask, around, how, depth + 1);
  const given = CHOICES.has(call.op) ? call.inputs.slice(1) : call.inputs;
  answer.inputs.forEach((/** @type {any} */ { name, dtype }, /** @type {number} */ i) => {
    const found = outer.get(tensorNamed(given[i] ?? '').name);
    if (found && dtype === 'resource' && !known.has(name)) known.set(name, { ...found, id: name });
  });
  return known;
}

/** @param {Attached | undefined} value @param {string | undefined} dtype of the argument */
const typedAs = (value, dtype) =>
  value && { ...value, dtype: value.dtype ?? (dtype === 'resource' ? undefined : dtype) };

/** Names that the tracer gave, which say less than an argument's own. @param {string | undefined} name */
const telling = (name) => name !== undefined && !/^(resource|unknown|input_\d+|\d*)$/.test(name);

/**
 * @param {Ask} ask
 * @param {string} name
 * @param {Names | undefined} names
 * @param {Signal} how
 * @returns {Promise<{ inputs: Input[], outputs: Output[], calls: string[] }>}
 */
export async function endsOf(ask, name, names, how) {
  const answer = await ask({ question: 'function', name }, how);
  const resources = await resourcesOf(ask, answer, how);
  return {
    inputs: answer.inputs.map(
      (/** @type {any} */ { name, dtype, type_attr, shape, user_name }, /** @type {number} */ i) => ({
        name,
        label: names?.inputs.get(i) ?? (telling(user_name) ? user_name : name),
        dtype: dtype ?? type_attr,
        shape,
        attached:
          typedAs(resources.get(name), dtype) ??
          (dtype === 'resource' ? { id: name, name, is: 'resource' } : undefined),
      }),
    ),
    outputs: answer.outputs.map((/** @type {any} */ { name, dtype, type_attr, tensor }, /** @type {number} */ i) => ({
      name,
      label: names?.outputs.get(i) ?? name,
      dtype: dtype ?? type_attr,
      tensor: tensor ?? '',
    })),
    calls: answer.calls.map((/** @type {any} */ one) => one.function),
  };
}
