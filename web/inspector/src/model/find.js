/** Finds nodes, layers and variables by a part of their names: those of the graph at hand first. */

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Signal} Signal */

/** Of this graph, and of the rest of the model. */
const [HERE, ELSEWHERE] = [20, 30];

/**
 * What is found: `node` is what to show in the graph at hand, if that has it.
 * @typedef {{ is: string, name: string, about: string, node?: string, path?: string, function?: string | null }} Found
 */

/** A beginning is better than a middle, and a short name better than a long one. @param {string} text */
const byFit = (text) => (/** @type {Found} */ a, /** @type {Found} */ b) => {
  const place = (/** @type {Found} */ { name }) => {
    const at = name.toLowerCase().lastIndexOf(text);
    return at === 0 || name[at - 1] === '/' ? 0 : 1;
  };
  return place(a) - place(b) || a.name.length - b.name.length;
};

/** @param {Graph} graph @param {string} text @returns {Found[]} */
function endsWith({ inputs, outputs }, text) {
  const has = (/** @type {(string | undefined)[]} */ ...names) =>
    names.some((name) => name?.toLowerCase().includes(text));
  return [
    ...inputs
      .filter(({ name, label, attached }) => has(attached ? attached.name : label, attached ? undefined : name))
      .map(({ name, label, attached, word = 'argument' }) => ({
        is: attached?.word ?? attached?.is ?? word,
        name: attached?.name ?? label ?? name,
        about: 'of this graph',
        node: name,
      })),
    ...outputs
      .filter(({ name, label }) => has(name, label))
      .map(({ name, label, word = 'result' }) => ({
        is: word,
        name: label,
        about: 'of this graph',
        node: `return:${name}`,
      })),
  ];
}

/** Scopes and nodes of a graph whose nodes are known. @param {Graph} graph @param {string} text @returns {Found[]} */
function nodesWith({ nodes = [], inputs }, text) {
  const ends = new Set(inputs.map(({ name }) => name));
  /** @type {Map<string, Found>} */
  const found = new Map();
  for (const { name, op } of nodes) {
    if (ends.has(name)) continue;
    const at = name.toLowerCase().indexOf(text);
    if (at < 0 && !op.toLowerCase().includes(text)) continue;
    const end = name.indexOf('/', at + text.length);
    const scope = at < 0 || end < 0 ? undefined : name.slice(0, end);
    if (scope && !found.has(scope)) found.set(scope, { is: 'scope', name: scope, about: 'of this graph', node: scope });
    if (at < 0 || name.toLowerCase().lastIndexOf(text) > name.lastIndexOf('/') - text.length)
      found.set(name, { is: 'node', name, about: op, node: name });
  }
  return [...found.values()];
}

/** @param {any} one of the answer `search` @returns {Found} */
const elsewhere = (one) => ({
  is: one.kind === 'variable' || one.variable ? 'variable' : one.is,
  name: one.name ?? one.path ?? '',
  about: one.function ?? one.class ?? one.path ?? one.op ?? '',
  path: one.path,
  function: one.function,
});

/** Whether the core finds all that there is: nodes, values, inputs and tensors of graphs that it knows by these.
 * @param {Graph} graph */
const isKnown = ({ detail }) => detail !== undefined;

/**
 * @param {Graph} graph
 * @param {string} text
 * @param {Ask} ask about the model
 * @param {Signal} how
 * @returns {Promise<{ here: Found[], others: Found[] }>}
 */
export async function foundIn(graph, text, ask, how) {
  const wanted = text.toLowerCase();
  const { found } = await ask({ question: 'search', name: text, count: ELSEWHERE * 4 }, how);
  const isHere = (/** @type {any} */ one) => 'function' in one && (one.function ?? '') === graph.name;
  /** @type {Found[]} */
  const own = isKnown(graph) ? found.items.filter(isHere).map(ofThis) : nodesWith(graph, wanted);
  const ends = endsWith(graph, wanted);
  const names = new Set(ends.map(({ name }) => name));
  const others = own.filter(({ is, name }) => is !== 'input' || !names.has(name));
  const here = [...ends, ...others].sort(byFit(wanted)).slice(0, HERE);
  return { here, others: elsewhereIn(graph, found.items, here).slice(0, ELSEWHERE) };
}

/** What is found in the graph at hand. @param {any} one @returns {Found} */
const ofThis = ({ is, name, op }) => ({ is, name, about: op ?? 'of this graph', node: name });

/** @param {Graph} graph @param {any[]} items @param {Found[]} here */
function elsewhereIn(graph, items, here) {
  const shown = new Set(here.map(({ name }) => name));
  const isOwn = (/** @type {any} */ one) => one.is === 'node' && (one.function ?? '') === graph.name;
  return items
    .filter((one) => !(isKnown(graph) && 'function' in one && (one.function ?? '') === graph.name))
    .filter((one) => !(isOwn(one) && graph.nodes))
    .map(
      (one) =>
        /** @type {Found} */ (isOwn(one) ? { ...elsewhere(one), about: one.op, node: one.name } : elsewhere(one)),
    )
    .filter(({ is, name }) => is !== 'variable' || !shown.has(name));
}
