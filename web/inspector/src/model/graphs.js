/** The graphs of a model: chooses one, and what to show of it. */
import { foundIn } from './find.js';
import { allOpen, drawn, membersOf } from './folded-graph.js';
import { followed } from './follow.js';
import { aboutTag, isSameDiff } from './kinds.js';
import { loadGraph } from './load-graph.js';

/** @import { Ask, Graph, Seen, Signal } from './folded-graph.js' */
/** @import { Entry } from './load-graph.js' */

/**
 * Which graph: '' is the computation of the model, by its default signature; WHOLE is the main graph; WHOLE with a
 * signature's key is that signature's computation in the main graph; other texts are names of functions.
 * @typedef {{ at?: string, metaGraph?: number, tag?: string }} Which
 */

const WHOLE = '/';

/** Functions that are listed, those with the most nodes; and signatures. */
const [LISTED, SIGNATURES] = [150, 20];

/** @param {Ask} ask @param {number | undefined} metaGraph @returns {Ask} */
const about = (ask, metaGraph) => (question, how) => ask(metaGraph ? { ...question, metaGraph } : question, how);

/**
 * @param {Ask} ask
 * @param {string | undefined} tag of a SameDiff file
 * @returns {Ask}
 */
const inTag = (ask, tag) => (question, how) => ask(aboutTag(question, tag), how);

/** @param {Entry} entry */
const placeOf = ({ key, function: called, wrapper }) => called?.name ?? wrapper?.function ?? WHOLE + key;

/**
 * The signatures of a SavedModel, the default one first.
 *
 * @param {Ask} ask @param {Signal} how @returns {Promise<Entry[]>}
 */
async function entriesOf(ask, how) {
  const { signatures } = await ask({ question: 'overview' }, how);
  const isDefault = (/** @type {string} */ key) => key === 'serving_default';
  const keys = signatures.items
    .map((/** @type {any} */ { key }) => key)
    .filter((/** @type {string} */ key) => !key.startsWith('__saved_model_'))
    .sort((/** @type {string} */ a, /** @type {string} */ b) => Number(isDefault(b)) - Number(isDefault(a)));
  const entries = [];
  for (const name of keys.slice(0, SIGNATURES)) entries.push(await ask({ question: 'signature', name }, how));
  return entries;
}

/**
 * Finds the selected graph, and keeps the last one.
 *
 * @param {Ask} askModel
 * @param {string} kind
 * @param {() => boolean} isBrief whether answers are brief
 */
function finder(askModel, kind, isBrief) {
  const isSaved = kind === 'saved_model';
  /** @type {Map<number, Promise<Entry[]>>} */
  const known = new Map();
  /** @type {{ key: string, graph: Graph } | undefined} */
  let last;

  /** @param {Which} which @param {Signal} how */
  async function entries({ metaGraph }, how) {
    if (!isSaved) return [];
    const asked = known.get(metaGraph ?? 0) ?? entriesOf(about(askModel, metaGraph), how);
    known.set(metaGraph ?? 0, asked);
    asked.catch(() => known.delete(metaGraph ?? 0));
    return asked;
  }

  /** The graph for ''. @param {Which} which @param {Signal} how */
  async function placed(which, how) {
    if (which.at || !isSaved) return which.at || WHOLE;
    const [entry] = await entries(which, how);
    return entry ? placeOf(entry) : WHOLE;
  }

  /** @param {Which} which @param {Signal} how @returns {Promise<Graph>} */
  async function graphOf(which, how) {
    const at = await placed(which, how);
    const key = JSON.stringify([at, which.metaGraph, which.tag]);
    if (last?.key === key && (!last.graph.unread || isBrief())) return last.graph;
    const entry = at === WHOLE ? undefined : (await entries(which, how)).find((one) => placeOf(one) === at);
    const ask = about(askModel, which.metaGraph);
    const name = at.startsWith(WHOLE) && (at === WHOLE || entry) ? '' : at;
    const graph = await loadGraph(inTag(ask, which.tag), kind, name, entry, how);
    last = { key, graph: { ...graph, at } };
    return last.graph;
  }

  return { entries, graphOf };
}

/** Signatures of the same function are one place. @param {Entry[]} entries */
function signaturePlaces(entries) {
  /** @type {Map<string, string>} */
  const keys = new Map();
  for (const entry of entries) {
    const at = placeOf(entry);
    keys.set(at, keys.has(at) ? `${keys.get(at)}, ${entry.key}` : entry.key);
  }
  return [...keys].map(([at, key]) => ({ key, at }));
}

/** Functions, the largest first. @param {Ask} ask @param {Signal} how */
async function functionPlaces(ask, how) {
  const { functions } = await ask({ question: 'functions', count: 100_000 }, how);
  const items = functions.items.map((/** @type {any} */ { name, nodes, within, node }) => ({
    name,
    nodes,
    owner: node === undefined ? undefined : { graph: within ?? '', node },
  }));
  items.sort((/** @type {any} */ a, /** @type {any} */ b) => b.nodes - a.nodes);
  return { functions: items.slice(0, LISTED), total: functions.total };
}

/**
 * The page's questions about graphs; parameters as for `finder`.
 *
 * @param {Ask} askModel @param {string} kind @param {() => boolean} [isBrief]
 */
export function graphs(askModel, kind, isBrief = () => false) {
  const { entries, graphOf } = finder(askModel, kind, isBrief);
  return {
    /** The drawing. @param {Which & Seen} options @param {Signal} how */
    async graph(options, how) {
      const graph = await graphOf(options, how);
      return { ...(await drawn(graph, options, how)), at: graph.at, unread: graph.unread };
    },
    /**
     * A page of the contents of one group.
     * @param {Which & Seen & { group: string, first: number, count: number }} options @param {Signal} how
     */
    async members(options, how) {
      return membersOf(await graphOf(options, how), options, how);
    },
    /**
     * The details of a node, an argument, a result or a scope. @param {Which & { node: string }} options
     * @param {Signal} how
     */
    async node(options, how) {
      return (await graphOf(options, how)).lookup.detail(options.node, how);
    },
    /**
     * A page of a node's consumers. @param {Which & { node: string, first: number, count: number }} options
     * @param {Signal} how @returns {Promise<import('./folded-graph.js').Page>}
     */
    async users(options, how) {
      const { node, first, count } = options;
      const graph = await graphOf(options, how);
      const name = node.replace(/^value:/, '');
      const question = { question: 'consumers', name, scope: graph.name || undefined, first, count };
      return (await graph.ask(question, how)).consumers;
    },
    /** The scopes to open so that as much is drawn as there is room for. @param {Which} options @param {Signal} how */
    async openAll(options, how) {
      return allOpen(await graphOf(options, how), how);
    },
    /**
     * Where the data of a node come from, or where they go.
     * @param {Which & Seen & import('./follow.js').Following} options @param {Signal} how
     */
    async follow(options, how) {
      return followed(await graphOf(options, how), options, how);
    },
    /**
     * Everything with a text in its name, this graph first. @param {Which & { text: string }} options
     * @param {Signal} how
     */
    find: async (options, how) =>
      foundIn(await graphOf(options, how), options.text, inTag(about(askModel, options.metaGraph), options.tag), how),
    /** The places to look at: signatures, and functions. @param {Which} options @param {Signal} how */
    async places(options, how) {
      const signatures = signaturePlaces(await entries(options, how));
      if (isSameDiff(kind)) return { signatures, functions: [], total: 0 };
      return { signatures, ...(await functionPlaces(about(askModel, options.metaGraph), how)) };
    },
  };
}
