/** The details of one node, argument, tensor, value, result or scope next to the drawing: the core's answers. */
import { parentOf, resultId, scopesAround } from './boxes.js';
import { unlessUnknown } from './folded-graph.js';
import { attachedOf, callsOf, textOf } from './held.js';
import { summary } from './op-kinds.js';
import { attribute } from './tensors.js';

/** @import { Ask, Input, Output, Signal } from './folded-graph.js' */

/** The most children of a scope that are searched for one. */
const CHILDREN = 20_000;

const withoutMark = (/** @type {string} */ id) => id.replace(/^value:/, '');

/** Nodes that only hold a tensor. @param {string | null} op */
const isConstant = (op) => op === 'Constant' || op === 'const' || op === 'Const';

/** The drawing shows these already. */
const KNOWN = new Set(['_output_shapes']);

const VARIABLES = new Set(['VarHandleOp', 'VariableV2', 'Variable']);
const READS = new Set(['ReadVariableOp', 'Identity']);

/** The most inputs that are examined for variables. */
const MOST = 16;

/** The graphs whose values a graph within nodes may take, the innermost first. @param {string} name */
const around = (name) => (name ? [name, ...scopesAround(name).reverse(), ''] : [name]);

/** The core's data about one node, argument, tensor or value. */
export class Lookup {
  /**
   * @param {Ask} ask
   * @param {string} name of the graph
   * @param {Input[]} inputs
   * @param {Output[]} outputs
   */
  constructor(ask, name, inputs, outputs) {
    this.ask = ask;
    this.name = name;
    this.asked = name || undefined;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** The box for a name: itself, the node that makes it, or the first one that takes it.
   * @param {string} id @param {Signal} how */
  async placed(id, how) {
    const name = withoutMark(id);
    if (id.startsWith(resultId(''))) return [id];
    if (id !== name || this.inputs.some((one) => one.name === id)) return [`value:${name}`, name];
    const node = await this.node(name, how);
    if (node && !isConstant(node.op)) return [node.name];
    const question = { question: 'consumers', name, scope: this.asked, count: 1 };
    const first = (await this.ask(question, how).catch(unlessUnknown))?.consumers.items[0];
    return [first?.is === 'node' ? first.name : id];
  }

  /** For a value, the node that makes it. @param {string} name @param {Signal} how */
  node(name, how) {
    return this.ask({ question: 'node', name, scope: this.asked, count: 1 }, how).catch(unlessUnknown);
  }

  /**
   * The box of a node or scope; a single node is its own box. @param {string} id @param {string} scope
   * @param {Signal} how
   */
  async child(id, scope, how) {
    const answer = await this.ask({ question: 'scopes', name: this.asked, scope, count: CHILDREN }, how).catch(
      unlessUnknown,
    );
    return answer?.children.items.find((/** @type {any} */ one) => one.path === id || one.inner === id);
  }

  /** A tensor used here: of this graph, or of one around it. @param {string} node @param {Signal} how */
  async tensor(node, how) {
    for (const graph of around(this.name)) {
      const question = { question: 'constants', name: node, scope: graph || undefined };
      const answer = await this.ask(question, how).catch(unlessUnknown);
      const found = answer?.constants.items.find((/** @type {any} */ one) => graph || one.function === null);
      if (found) return found;
    }
    return undefined;
  }

  /** @param {string} id @param {Signal} how @returns {Promise<any>} */
  async detail(id, how) {
    const name = withoutMark(id);
    const result = this.outputs.find((one) => resultId(one.name) === id);
    if (result) return { is: 'result', ...result, from: result.node ?? result.from };
    const node = name === id ? await this.node(id, how) : undefined;
    if (node) return this.#node(node, how);
    const input = this.inputs.find((one) => one.name === name);
    if (input) return { is: 'argument', ...input };
    const scope = await this.child(name, parentOf(name), how);
    if (scope) return scopeDetail(name, scope);
    const tensor = await this.tensor(name, how);
    if (tensor) return { is: 'argument', name, label: name, attached: attachedOf(tensor) };
    return this.name ? { is: 'argument', name, label: name, word: 'value of a graph around this one' } : undefined;
  }

  /** @param {any} node @param {Signal} how */
  async #node(node, how) {
    const [box, reads] = await Promise.all([this.child(node.name, node.name, how), this.#reads(node, how)]);
    const made = isConstant(node.op) && (node.outputs[0]?.name ?? node.name);
    const tensor = made ? await this.tensor(made, how) : undefined;
    return {
      is: 'node',
      ...node,
      control_inputs: node.control_inputs ?? [],
      attributes: [...node.attributes, ...argumentsOf(node)].filter(
        ({ name, kind }) => !KNOWN.has(name) && !(tensor && /tensor$/.test(kind)),
      ),
      calls: callsOf(box),
      from: fromOf(node, box, this.name, reads),
      tensor: tensor && attachedOf(tensor).tensor,
      value: variableOf(node),
    };
  }

  /** The inputs that are variables: captured by a function, or read from one. @param {any} node @param {Signal} how */
  async #reads({ from }, how) {
    /** @type {Map<string, any>} */
    const known = new Map(this.inputs.map((one) => [one.name, { ...one, ...one.attached, attached: one.attached }]));
    for (const { name, op } of from.slice(0, MOST)) {
      if (!READS.has(op)) continue;
      const [source] = (await this.node(name, how))?.from ?? [];
      const isMade = VARIABLES.has(source?.op);
      const attached = isMade ? variableOf(await this.node(source.name, how)) : known.get(source?.name)?.attached;
      if (attached) known.set(name, { ...attached, attached });
    }
    return known;
  }
}

/** @param {any} node @returns {import('./held.js').Attached | undefined} */
function variableOf(node) {
  if (!node || !VARIABLES.has(node.op)) return undefined;
  const { name } = node;
  const type = { dtype: attribute(node, 'dtype'), shape: attribute(node, 'shape') };
  return { id: name, name: attribute(node, 'shared_name') || name, is: 'variable', ...type };
}

/** Those of SameDiff that are known by their places. @param {any} node */
const argumentsOf = ({ arguments: given = {} }) =>
  Object.entries(given).flatMap(([name, value]) => (value.length ? [{ name, kind: 'argument', value }] : []));

/** @param {string} name @param {any} child */
const scopeDetail = (name, { nodes, ops = [], tensors = [], more_tensors: more }) => ({
  is: 'scope',
  name,
  nodes,
  ops: summary(ops.map((/** @type {any} */ one) => one.op)),
  variables: tensors.map(attachedOf),
  more,
});

/** The inputs of a node: the listed ones, those of graphs within it, and tensors of its own.
 * @param {any} node @param {any} box @param {string} graph @param {Map<string, any>} reads */
function fromOf({ from }, { inputs = [], tensors = [] } = {}, graph, reads) {
  /** @type {Map<string, any>} */
  const held = new Map(tensors.map((/** @type {any} */ one) => [one.node, heldBy(one)]));
  const edges = inputs.flatMap((/** @type {any} */ { values }) => values ?? []);
  const taken = new Set(
    from.flatMap((/** @type {any} */ { value, name }) => [value, name, reads.get(name)?.attached?.id]),
  );
  // A value of a graph around this one counts as an argument here.
  const isHere = (/** @type {any} */ one) => one.name !== undefined && (one.function ?? '') === graph;
  return [
    ...from
      .filter((/** @type {any} */ one) => one.value && !one.control)
      .map((/** @type {any} */ one) => {
        const { value, name, role, index, dtype, shape, type } = one;
        const known = isHere(one) ? reads.get(name) : undefined;
        const own = { dtype: dtype ?? known?.dtype, shape: shape ?? known?.shape, type, attached: known?.attached };
        const source = held.get(value) ??
          held.get(name) ?? { name: isHere(one) ? name : value, index: index ?? 0, ...own };
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
