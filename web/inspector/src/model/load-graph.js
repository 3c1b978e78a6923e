/** Loads a graph for drawing: its inputs and outputs, and its scopes. */
import { scopesAround } from './boxes.js';
import { Lookup } from './lookup.js';
import { rolesIn } from './held.js';
import { tensorNamed } from './tensors.js';

/** @import { Ask, Graph, Input, Signal } from './folded-graph.js' */
/** @import { Attached } from './held.js' */

/** The most children of a scope that are examined. */
const CHILDREN = 20_000;
/** The most nodes that a signature's outputs may depend on, to draw only these. */
const LED = 20_000;
const ALL = 1_000_000;

/** A signature and what it computes, as the answer has it.
 * @typedef {{ key: string, function: any, wrapper: any, inputs: any[], outputs: any[] }} Entry */

const KINDS = new Set(['variable', 'constant']);
/** Kinds of models whose nodes say what their tensors are for. */
const WITH_ROLES = new Set(['onnx', 'coreml', 'graph_def']);

/**
 * @param {any} capture of a function's answer
 * @returns {Attached}
 */
const captured = ({ argument, name, path, kind, dtype, shape, registered_name: type }) => ({
  id: argument,
  name: name || (kind === 'constant' ? argument : path) || argument,
  is: KINDS.has(kind) ? kind : 'resource',
  dtype: dtype ?? (kind === 'resource' ? type?.replace(/^tf\./, '') : undefined),
  shape,
  path,
});

/**
 * Nodes that are drawn with their consumers; drawing them by themselves would also draw the scope of their creation.
 * @param {string} op
 */
const isHeld = (op) => /^(Const|VarHandleOp|Variable(V2)?|ReadVariableOp)$/.test(op);

/** Names from the tracer, which are less informative than an argument's own. @param {string | undefined} name */
const isTelling = (name) => name !== undefined && !/^(resource|unknown|input_\d+|\d*)$/.test(name);

/**
 * A signature's names for the arguments of its function. @param {any} value of the answer, however deep
 * @returns {[string, string][]}
 */
function namesIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  const own = typeof value.argument === 'string' && typeof value.input === 'string';
  return own ? [[value.argument, value.input]] : Object.values(value).flatMap(namesIn);
}

/** @param {any} given `function` @param {Entry | undefined} entry @returns {Input[]} */
function argumentsOf({ inputs, captures = [] }, entry) {
  const names = new Map(namesIn(entry?.function?.arguments));
  const known = new Map(captures.map((/** @type {any} */ one) => [one.argument, captured(one)]));
  return inputs.map((/** @type {any} */ { type_attr, user_name, ...one }) => {
    const { name, dtype = type_attr } = one;
    const attached = known.get(name) ?? (dtype === 'resource' ? { id: name, name, is: 'resource' } : undefined);
    const label = names.get(name) ?? (isTelling(user_name) ? user_name : name);
    return { ...one, label, dtype, attached: attached && { ...attached, dtype: attached.dtype ?? dtype } };
  });
}

/** The inputs of a signature, by its placeholders' names. @param {any[]} inputs @returns {Input[]} */
const fedOf = (inputs) =>
  inputs.map(({ name, tensor, ...one }) => ({
    ...one,
    name: tensor ? tensorNamed(tensor).name : name,
    label: name,
    isNode: true,
  }));

/** @param {Ask} ask @param {string} kind @param {string} name @param {Entry | undefined} entry @param {Signal} how */
async function endsOf(ask, kind, name, entry, how) {
  if (!name && entry)
    return { inputs: fedOf(entry.inputs), outputs: entry.outputs, unread: undefined, nodes: undefined };
  const given = await ask(name ? { question: 'function', name } : { question: 'overview', count: ALL }, how);
  const items = (/** @type {any} */ list) => list?.items ?? list ?? [];
  const isTensorflow = kind === 'saved_model' || kind === 'graph_def';
  const word = isTensorflow ? undefined : 'input';
  const inputs =
    isTensorflow && name
      ? argumentsOf(given, entry)
      : items(given.inputs).map((/** @type {any} */ one) => ({ ...one, label: one.name, word, isNode: isTensorflow }));
  // The outputs of a frozen graph are nodes, with boxes like others.
  const outputs = kind === 'graph_def' && !name ? [] : items(given.outputs);
  return { inputs, outputs, unread: given.unread, nodes: isTensorflow ? given.nodes : undefined };
}

/** @param {any} output of the model, a function or a signature */
const ownOf = ({ tensor, type_attr, ...one }) => ({
  ...(type_attr && { dtype: type_attr }),
  ...(tensor && { from: tensorNamed(tensor).name }),
  ...one,
});

/** @param {object} type */
const withoutNull = (type) => Object.fromEntries(Object.entries(type).filter(([, value]) => value !== null));

/**
 * Results, with their details from the scopes. @param {any[]} outputs @param {any[]} results
 * @param {Entry | undefined} entry @param {string | undefined} word
 */
function resultsOf(outputs, results, entry, word) {
  const known = new Map(outputs.map((one) => [one.name, ownOf(one)]));
  // A function only gives the types of its outputs; the node that makes one may know the shape.
  const all = results.length
    ? results.map((one) => ({ ...one, ...withoutNull(known.get(one.name) ?? {}) }))
    : [...known.values()];
  const names = new Map(entry?.function?.results.map((/** @type {any} */ { name, output }) => [name, output]));
  return all.map((one) => ({ ...one, label: names.get(one.name) ?? one.name, word }));
}

/** Nodes that a signature's outputs depend on, and the scopes around them.
 * @param {Ask} ask @param {Entry | undefined} entry @param {Signal} how */
async function ledTo(ask, entry, how) {
  const ends = (entry?.outputs ?? []).flatMap(({ tensor }) => (tensor ? [tensorNamed(tensor).name] : []));
  if (!ends.length) return undefined;
  const led = new Set(ends);
  for (const name of ends) {
    const { found } = await ask({ question: 'upstream', name, count: LED }, how);
    if (found.total > found.items.length) return undefined;
    const here = found.items.filter((/** @type {any} */ one) => one.function === null);
    const held = new Set(here.flatMap((/** @type {any} */ one) => (isHeld(one.op) ? [one.name] : [])));
    // A read value has the name of the variable before it.
    for (const { name } of here) if (!held.has(name) && !held.has(name.replace(/\/[^/]*$/, ''))) led.add(name);
  }
  for (const one of [...led]) for (const scope of scopesAround(one)) led.add(scope);
  return led;
}

/**
 * @param {Ask} ask
 * @param {string} kind
 * @param {string} name of a function or of a graph within a node, '' of the model's own
 * @param {Entry | undefined} entry the signature that leads to it
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
export async function loadGraph(ask, kind, name, entry, how) {
  const [ends, whole, led, all] = await Promise.all([
    endsOf(ask, kind, name, entry, how),
    ask({ question: 'scopes', name: name || undefined, count: CHILDREN }, how),
    name ? undefined : ledTo(ask, entry, how),
    // Only this gives the number of nodes including those that others hold.
    kind === 'saved_model' && !name ? ask({ question: 'nodes', count: 1 }, how) : undefined,
  ]);
  const { inputs, outputs, unread, nodes } = ends;
  const word = kind === 'saved_model' || kind === 'graph_def' ? undefined : 'output';
  const results = resultsOf(outputs, whole.results ?? [], entry, word);
  const lookup = new Lookup(ask, name, inputs, results);
  return {
    ask,
    name,
    at: '',
    whole,
    most: CHILDREN,
    total: nodes ?? all?.nodes.total ?? whole.nodes,
    problems: whole.problems,
    inputs,
    outputs: results,
    led,
    roles: WITH_ROLES.has(kind) ? rolesIn(ask, name, kind) : undefined,
    lookup,
    unread: unread ?? whole.unread,
  };
}
