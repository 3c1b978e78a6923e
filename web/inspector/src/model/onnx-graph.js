/**
 * Graphs of an ONNX or Core ML model as the drawing knows graphs. Nodes take values there, by name: here each input
 * says which node makes it. Initializers belong to those who take them, and what a graph within a node
 * takes from the graphs around it goes in as arguments do.
 */

/** @typedef {import('./attachments.js').Attached} Attached */
/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Input} Input */
/** @typedef {import('./folded-graph.js').Node} Node */
/** @typedef {import('./folded-graph.js').Signal} Signal */

/** Nodes that are looked at, and how many of them are asked for at once. */
const [MOST, PAGE] = [150_000, 10_000];
/** Children of a scope of a larger graph that are shown one by one. */
const CHILDREN = 600;
const ALL = 1_000_000;

/** All nodes of a graph. @param {Ask} ask @param {string | undefined} name @param {Signal} how */
async function nodesIn(ask, name, how) {
  /** @type {any[]} */
  const found = [];
  for (;;) {
    const { nodes, problems } = await ask({ question: 'nodes', name, first: found.length, count: PAGE }, how);
    found.push(...nodes.items);
    const { total } = nodes;
    if (total > MOST) return { total, problems };
    if (nodes.items.length && found.length < total) continue;
    const items = found.filter(({ op }) => op !== 'const'); // of Core ML: what these make belongs to who takes it
    return { total: total - (found.length - items.length), problems, items };
  }
}

/** Names of nodes need not differ: the second one of a name gets a number. @param {any[]} items */
function idsOf(items) {
  const used = new Set();
  return items.map(({ name }, i) => {
    let id = name;
    for (let n = i; used.has(id); n++) id = `${name}#${n}`;
    used.add(id);
    return id;
  });
}

/** The graphs around a graph within nodes, the innermost first; '' is the model's own. @param {string} name */
function around(name) {
  const found = [];
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) found.push(name.slice(0, at));
  return [...found, ''];
}

/**
 * The node that has a graph in an attribute, and the graph of that node: of those that the model has the
 * longest name in front of it.
 *
 * @param {string} name of a graph within a node
 * @param {string[]} graphs
 * @returns {{ graph: string, node: string } | undefined}
 */
export function ownerOf(name, graphs) {
  const graph = graphs.reduce((most, one) => (one.length > most.length && name.startsWith(`${one}/`) ? one : most), '');
  const within = graph ? name.slice(graph.length + 1) : name;
  const end = within.lastIndexOf(':');
  return end > 0 ? { graph, node: within.slice(0, end) } : undefined;
}

/** The graphs in a node's attributes, and the function that it calls. @param {string} graph @param {any} node */
function callsOf(graph, { name, attributes, calls }) {
  const inside = (/** @type {string} */ attribute) => `${graph ? `${graph}/` : ''}${name}:${attribute}`;
  return [
    ...(calls ? [{ name: 'calls', function: calls }] : []),
    ...attributes.flatMap((/** @type {any} */ { name: attribute, kind, value }) => {
      if (kind === 'graph' && value) return [{ name: attribute, function: inside(attribute) }];
      if (kind !== 'graphs') return [];
      return value.map((/** @type {any} */ _, /** @type {number} */ i) => {
        const one = `${attribute}[${i}]`;
        return { name: one, function: inside(one) };
      });
    }),
  ];
}

/** What is short enough to be read in place is a constant, and all else a weight. @param {any} one */
const isWeight = ({ dtype, shape }) => shape.length > 1 || (shape.length === 1 && /float/.test(dtype ?? ''));

/** @param {any} one of the answer `constants` @returns {Attached} */
function attachedOf(one) {
  const { node, function: graph, dtype, shape } = one;
  const is = isWeight(one) ? 'variable' : 'constant';
  const at = graph ? `${graph}:${node}` : node;
  const word = one.is === 'initializer' ? one.is : is === 'constant' ? is : 'weights';
  return { id: node, name: node, is, dtype, shape, tensor: tensorOf(one), word, at };
}

/** Whether nodes take it as they do initializers: of Core ML all constants. @param {any} one */
export const isTaken = (one) => ['initializer', 'const', 'weights'].includes(one.is);

/** Values that a node takes, with what it has itself: of a layer of Core ML its weights.
 * @param {any} item @param {Map<string, Attached>} known */
const takenBy = ({ name, inputs, attributes }, known) => [
  ...inputs,
  ...attributes
    .map((/** @type {any} */ one) => `${name}:${one.name}`)
    .filter((/** @type {string} */ one) => known.has(one)),
];

/** What shows its values: of a sparse one, those that are not 0. @param {any} one */
export const tensorOf = (one) => (one.sparse ? { ...one.values_tensor, node: one.node } : one);

/**
 * The initializers that nodes of a graph may take by their names: its own, and those of the graphs around it.
 *
 * @param {Ask} ask @param {string} graph @param {Signal} how
 * @returns {Promise<Map<string, Attached>>}
 */
async function initializers(ask, graph, how) {
  const { constants } = await ask({ question: 'constants', count: ALL }, how);
  const graphs = [graph, ...(graph ? around(graph) : [])];
  const rank = (/** @type {any} */ { function: name }) => graphs.indexOf(name ?? '');
  const own = constants.items.filter((/** @type {any} */ one) => isTaken(one) && rank(one) >= 0);
  own.sort((/** @type {any} */ a, /** @type {any} */ b) => rank(b) - rank(a)); // the innermost last
  return new Map(own.map((/** @type {any} */ one) => [one.node, attachedOf(one)]));
}

/** What is drawn of an input or output. @param {any} value @param {string} name @param {'input' | 'output'} word */
const labelled = (value, name, word) => ({ ...value, name, label: value.name, word });

/** Nodes with graphs in them whose nodes are looked through. */
const INNER = 60;

/**
 * What the graphs in a node take of the graph around them: it leads to the node, too.
 *
 * @param {Ask} ask @param {string} graph @param {any[]} items @param {Signal} how
 * @returns {Promise<Map<any, string[]>>}
 */
async function capturedBy(ask, graph, items, how) {
  const outer = items.filter((item) => callsOf(graph, { ...item, calls: undefined }).length).slice(0, INNER);
  const made = new Set(items.flatMap(({ outputs }) => outputs.map((/** @type {any} */ { name }) => name)));
  const taken = async (/** @type {any} */ item) => {
    const names = callsOf(graph, { ...item, calls: undefined }).map((call) => call.function);
    const inner = await Promise.all(names.map((name) => nodesIn(ask, name, how)));
    const used = inner.flatMap(({ items: nodes = [] }) => nodes.flatMap(({ inputs }) => inputs));
    return /** @type {[any, string[]]} */ ([item, [...new Set(used)].filter((name) => made.has(name))]);
  };
  return new Map(await Promise.all(outer.map(taken)));
}

/** An initializer of which nothing but the name is read. @param {string} name @returns {Attached} */
const unknown = (name) => ({ id: name, name, is: 'variable', word: 'initializer' });

class Reader {
  /** The node that makes a value, and as which of its outputs. @type {Map<string, import('./tensors.js').Tensor>} */
  maker = new Map();

  /**
   * @param {any[]} items nodes, as the answer has them
   * @param {any[]} inputs @param {Map<string, Attached> | undefined} known initializers; undefined: not yet
   * @param {string} graph its name
   * @param {Map<any, string[]>} captured
   */
  constructor(items, inputs, known, graph, captured) {
    this.captured = captured;
    this.ids = idsOf(items);
    this.taken = new Set(this.ids);
    this.graph = graph;
    items.forEach(({ outputs }, i) =>
      outputs.forEach((/** @type {any} */ { name }, /** @type {number} */ index) =>
        this.maker.set(name, { name: String(this.ids[i]), index }),
      ),
    );
    const given = new Set(inputs.map(({ name }) => name));
    const used = new Set(items.flatMap((item) => item.inputs));
    const free = [...used].filter((name) => name && !this.maker.has(name) && !given.has(name));
    /** @type {Input[]} */
    this.inputs = [
      ...inputs.map((one) => ({ ...labelled(one, this.idOf(one.name), 'input'), attached: known?.get(one.name) })),
      ...free.map((name) => ({
        name: this.idOf(name),
        label: name,
        attached: known ? known.get(name) : unknown(name),
      })),
    ];
  }

  /** What no node makes has its own name, unless a node is called so. @param {string} value */
  idOf(value) {
    return this.taken.has(value) ? `value:${value}` : value;
  }

  /** Where a value comes from. @param {string} value */
  source(value) {
    return this.maker.get(value) ?? { name: this.idOf(value), index: 0 };
  }

  /** @param {any} item @param {number} i @returns {Node} */
  node(item, i) {
    const { op, domain, inputs, outputs, attributes, doc } = item;
    const shapes = outputs.map((/** @type {any} */ { shape }) => shape ?? null);
    return {
      name: String(this.ids[i]),
      op,
      domain,
      doc,
      inputs: [...inputs.filter(Boolean), ...(this.captured.get(item) ?? [])].map((name) => this.source(name)),
      control_inputs: [],
      attributes: [...attributes, { name: '_output_shapes', kind: 'list', value: shapes }],
      outputs,
      calls: callsOf(this.graph, item),
    };
  }
}

/**
 * @param {Ask} ask
 * @param {string} name of a function or of a graph within a node, '' of the model's own
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
export async function onnxGraph(ask, name, how) {
  const asked = name || undefined;
  const [ends, { total, problems, items }] = await Promise.all([
    ask(name ? { question: 'function', name } : { question: 'overview', count: ALL }, how),
    nodesIn(ask, asked, how),
  ]);
  const { unread } = ends;
  const known = unread ? undefined : await initializers(ask, name, how);
  if (known) for (const item of items ?? []) item.inputs = takenBy(item, known);
  const inputs = ends.inputs.items ?? ends.inputs;
  const outputs = ends.outputs.items ?? ends.outputs;
  const graph = {
    ask,
    name,
    at: '',
    whole: undefined,
    total,
    problems,
    library: new Set(),
    onlyOutputs: false,
    unread,
  };
  if (!items) {
    const whole = await ask({ question: 'scopes', name: asked, count: CHILDREN }, how);
    const end = (/** @type {'input' | 'output'} */ word) => (/** @type {any} */ one) => ({
      ...labelled(one, one.name, word),
      tensor: { name: one.name, index: 0 },
    });
    return { ...graph, whole, most: CHILDREN, inputs: inputs.map(end('input')), outputs: outputs.map(end('output')) };
  }
  const reader = new Reader(items, inputs, known, name, await capturedBy(ask, name, items, how));
  const { maker, ids } = reader;
  const types = new Map(items.flatMap((item) => item.outputs.map((/** @type {any} */ one) => [one.name, one])));
  return {
    ...graph,
    most: items.length,
    nodes: items.map((item, i) => reader.node(item, i)),
    inputs: reader.inputs,
    outputs: outputs.map((/** @type {any} */ one) => ({
      ...types.get(one.name),
      ...labelled(one, one.name, 'output'),
      tensor: reader.source(one.name),
    })),
    // Links may be about values; and the core knows nodes by their own names.
    placed: (id) => maker.get(id)?.name ?? (ids.includes(id) ? id : reader.idOf(id)),
    asked: (id) => {
      const i = ids.indexOf(id);
      if (i < 0) return id.replace(/^value:/, '');
      return items[i].name === id ? id : (items[i].outputs[0]?.name ?? id);
    },
  };
}
