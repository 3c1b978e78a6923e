/**
 * Graphs of models whose nodes take values by name: who makes them, and what nodes hold, the core says in
 * its answers `scopes`.
 */
import { unlessUnknown } from './folded-graph.js';
import { attachedOf, textOf } from './held.js';
import { summary } from './op-kinds.js';

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Signal} Signal */

/** Children of a scope that are looked at, and boxes of which those that are alike do not become one. */
const [CHILDREN, ROOM] = [20_000, 400];
const ALL = 1_000_000;

const withoutMark = (/** @type {string} */ id) => id.replace(/^value:/, '');

/** Nodes that do nothing but hold a tensor. @param {string | null} op */
const isConstant = (op) => op === 'Constant' || op === 'const';

/** The graphs whose values a graph within nodes may take, the innermost first. @param {string} name */
function around(name) {
  const found = [name];
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) found.push(name.slice(0, at));
  return name ? [...found, ''] : found;
}

/** What the core says of one node, argument, tensor or value. */
class Lookup {
  /** @param {Ask} ask @param {string} name of the graph @param {any[]} inputs */
  constructor(ask, name, inputs) {
    this.ask = ask;
    this.name = name;
    this.asked = name || undefined;
    this.inputs = inputs;
  }

  /** What is drawn where this is meant: itself, the node that makes it, or the first that takes it.
   * @param {string} id @param {Signal} how */
  async placed(id, how) {
    const name = withoutMark(id);
    if (id !== name || this.inputs.some((one) => one.name === id)) return [`value:${name}`, name];
    const node = await this.node(name, how);
    if (node && !isConstant(node.op)) return [node.name];
    const question = { question: 'consumers', name, scope: this.asked, count: 1 };
    const first = (await this.ask(question, how).catch(unlessUnknown))?.consumers.items[0];
    return [first?.is === 'node' ? first.name : id];
  }

  /** Of a value, the node that makes it. @param {string} name @param {Signal} how */
  node(name, how) {
    return this.ask({ question: 'node', name, scope: this.asked, count: 1 }, how).catch(unlessUnknown);
  }

  /** The box of a node or scope: of what is only a node, itself. @param {string} id @param {string} scope @param {Signal} how */
  async child(id, scope, how) {
    const answer = await this.ask({ question: 'scopes', name: this.asked, scope, count: CHILDREN }, how).catch(
      unlessUnknown,
    );
    return answer?.children.items.find((/** @type {any} */ one) => one.path === id || one.inner === id);
  }

  /** One that is taken here: of this graph, or of one around it. @param {string} node @param {Signal} how */
  async tensor(node, how) {
    for (const graph of around(this.name)) {
      const question = { question: 'constants', name: node, scope: graph || undefined };
      const answer = await this.ask(question, how).catch(unlessUnknown);
      const [found] = answer?.constants.items ?? [];
      if (found) return found;
    }
    return undefined;
  }

  /** @param {string} id @param {Signal} how @returns {Promise<any>} */
  async detail(id, how) {
    const name = withoutMark(id);
    const node = name === id ? await this.node(id, how) : undefined;
    if (node) return this.#node(node, how);
    const input = this.inputs.find((one) => one.name === name);
    if (input) return { is: 'argument', ...input };
    const scope = await this.child(name, name.slice(0, Math.max(0, name.lastIndexOf('/'))), how);
    if (scope) return scopeDetail(name, scope);
    const tensor = await this.tensor(name, how);
    if (tensor) return { is: 'argument', name, label: name, attached: attachedOf(tensor) };
    return this.name ? { is: 'argument', name, label: name, word: 'value of a graph around this one' } : undefined;
  }

  /** @param {any} node @param {Signal} how */
  async #node(node, how) {
    const box = await this.child(node.name, node.name, how);
    const made = isConstant(node.op) && node.outputs[0];
    const tensor = made ? await this.tensor(made.name, how) : undefined;
    return {
      is: 'node',
      ...node,
      control_inputs: node.control_inputs ?? [],
      attributes: [...node.attributes, ...argumentsOf(node)].filter(({ kind }) => !tensor || !/tensor$/.test(kind)),
      calls: callsOf(box),
      from: fromOf(node, box, this.name),
      tensor: tensor && attachedOf(tensor).tensor,
    };
  }
}

/** Those of SameDiff that are known by their places. @param {any} node */
const argumentsOf = ({ arguments: given = {} }) =>
  Object.entries(given).flatMap(([name, value]) => (value.length ? [{ name, kind: 'argument', value }] : []));

/** @param {any} box */
const callsOf = ({ calls = [] } = {}) =>
  calls.map((/** @type {any} */ { name, element, function: called }) => ({
    name: element === undefined ? name : `${name}[${element}]`,
    function: called,
  }));

/** @param {string} name @param {any} child */
const scopeDetail = (name, { nodes, ops = [], tensors = [], more_tensors: more }) => ({
  is: 'scope',
  name,
  nodes,
  ops: summary(ops.map((/** @type {any} */ one) => one.op)),
  variables: tensors.map(attachedOf),
  more,
});

/** What a node takes: its inputs, what the graphs within it take besides, and tensors of its own.
 * @param {any} node @param {any} box @param {string} graph */
function fromOf({ from }, { inputs = [], tensors = [] } = {}, graph) {
  /** @type {Map<string, any>} */
  const held = new Map(tensors.map((/** @type {any} */ one) => [one.node, heldBy(one)]));
  const edges = inputs.flatMap((/** @type {any} */ { values }) => values);
  const taken = new Set(from.map((/** @type {any} */ { value }) => value));
  // What is of a graph around this one is an argument here.
  const isHere = (/** @type {any} */ one) => one.is === 'node' && (one.function ?? '') === graph;
  return [
    ...from
      .filter((/** @type {any} */ one) => one.value && !one.control)
      .map((/** @type {any} */ one) => {
        const { value, name, role, index, dtype, shape, type } = one;
        const source = held.get(value) ?? { name: isHere(one) ? name : value, index: index ?? 0, dtype, shape, type };
        return { ...source, role };
      }),
    ...[...edges.map((/** @type {any} */ one) => ({ ...one, key: one.name, name: one.node ?? one.name, index: 0 }))]
      .concat([...held].map(([key, one]) => ({ ...one, key })))
      .filter(({ key }) => !taken.has(key)),
  ];
}

/** @param {any} one */
const heldBy = (one) => ({
  name: one.node,
  index: 0,
  attached: attachedOf(one),
  dtype: one.dtype,
  shape: one.shape,
  value: textOf(one),
});

/** @param {any} value @param {'input' | 'output'} word */
const labelled = (value, word) => ({ ...value, label: value.name, word });

/**
 * @param {Ask} ask
 * @param {string} name of a function or of a graph within a node, '' of the model's own
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
export async function exportedGraph(ask, name, how) {
  const asked = name || undefined;
  const [ends, whole] = await Promise.all([
    ask(name ? { question: 'function', name } : { question: 'overview', count: ALL }, how),
    ask({ question: 'scopes', name: asked, count: CHILDREN }, how),
  ]);
  const inputs = (ends.inputs.items ?? ends.inputs).map((/** @type {any} */ one) => labelled(one, 'input'));
  const types = new Map((ends.outputs.items ?? ends.outputs).map((/** @type {any} */ one) => [one.name, one]));
  const lookup = new Lookup(ask, name, inputs);
  return {
    ask,
    name,
    at: '',
    whole,
    most: CHILDREN,
    room: ROOM,
    total: whole.nodes,
    problems: whole.problems,
    inputs,
    outputs: whole.results.map((/** @type {any} */ { name, dtype, shape, type }) => ({
      ...(type ? { type } : dtype === undefined ? {} : { dtype, shape }),
      ...types.get(name),
      ...labelled({ name }, 'output'),
      tensor: name,
    })),
    library: new Set(),
    onlyOutputs: false,
    unread: ends.unread ?? whole.unread,
    placed: (id, how) => lookup.placed(id, how),
    detail: (id, how) => lookup.detail(id, how),
  };
}
