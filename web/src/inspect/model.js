/** A model that answers questions (cpb/model.h), one after the other. */
import { CpbError } from '../errors.js';
import * as is from '../options.js';
import { teller } from '../progress.js';
import { namesOf } from '../wasm/names.js';
import { inTurn } from '../waiting.js';
import { asksModels, hasModels } from './address.js';
import { foreign, HEAD } from './ends.js';
import { operatorsFor } from './operators.js';
import { structs } from './structs.js';

/** @import { Merged } from '../reader/merged-body.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { ModelKind, QuestionName } from './asked.js' */

/** @param {Instance} instance */
export const kindsOf = (instance) => /** @type {ModelKind[]} */ (namesOf(instance, instance.c.cpb_model_kind_name));

/** Its number in C. @param {Instance} instance @param {ModelKind} kind */
export const numberOf = (instance, kind) => kindsOf(instance).indexOf(kind) + 1;

/** The feed of whichever file an engine needs. @param {() => Feed} feed @returns {Feed} */
export const delegated = (feed) => ({
  get size() {
    return feed().size;
  },
  get got() {
    return feed().got;
  },
  at: (offset) => feed().at(offset),
  fetch: (...args) => feed().fetch(...args),
  measure: (...args) => feed().measure(...args),
  stop: () => feed().stop(),
});

/** Whether the data is damaged, as opposed to an error in getting it. @param {unknown} error */
export const isDamage = (error) => error instanceof CpbError && ['DAMAGED', 'TRUNCATED'].includes(error.code);

/** As natively: offsets in the message do not show where in the file the damage is.
 * @param {CpbError} damage */
const described = ({ message, offset }) =>
  offset === undefined ? message : `${message}, at byte ${offset} of the file`;

/** Returned in place of lost bytes, which were reported to the engine. */
const LOST = new Uint8Array(0);

/**
 * The feed of a merged message for an engine that can do without damaged parts: it reports which bytes are lost, up to
 * the end of the chunk's part.
 *
 * @param {Instance} instance @param {Engine} engine @param {Feed} feed @param {Merged} merged @returns {Feed}
 */
function losing(instance, engine, feed, merged) {
  let lost = -1;
  /** @param {number} offset @param {CpbError} why @param {ReadOptions} [options] */
  async function lose(offset, why, options) {
    const segment = await merged.segmentAt(offset, { signal: options?.signal });
    const length = segment.offset + segment.length - offset;
    instance.scope((scope) => {
      const text = scope.bytes(new TextEncoder().encode(`${described(why)}\0`));
      instance.c.cpb_input_lose(engine.call('input'), BigInt(length), Number(offset === segment.offset), text);
    });
    lost = offset;
  }
  return {
    ...delegated(() => feed),
    get got() {
      return feed.got;
    },
    at: (offset) => (offset === lost ? LOST : feed.at(offset)),
    async fetch(offset, length, ahead, options) {
      lost = -1;
      try {
        await feed.fetch(offset, length, ahead, options);
      } catch (error) {
        if (!isDamage(error)) throw error;
        await lose(offset, /** @type {CpbError} */ (error), options);
      }
    },
  };
}

/**
 * Reports damage to the engine that reading may not meet.
 *
 * @param {Instance} instance @param {Engine} engine @param {CpbError} damage
 */
function noteDamage(instance, engine, damage) {
  instance.scope((scope) =>
    engine.call('note_damage', scope.bytes(new TextEncoder().encode(`${described(damage)}\0`))),
  );
}

/**
 * The arguments of a question. Each question's description says which of them apply.
 * @typedef {object} QuestionOptions
 * @property {AbortSignal} [signal]
 * @property {ReadOptions['onProgress']} [onProgress]
 * @property {string} [name]
 * @property {string} [scope]
 * @property {string} [to] for upstream and downstream: the node or value that a path should lead to
 * @property {number} [distance] for the same: largest number of steps; 0: unlimited
 * @property {number} [metaGraph] for a SavedModel: which, from 0
 * @property {number} [first] for a page: number of the first element, from 0
 * @property {number | 'all'} [count] for a page: largest number of elements, default 100
 * @property {boolean} [brief] for ONNX: an answer after a few requests, see `Page`
 */

/** @type {import('../options.js').Known} */
const asking = {
  signal: is.signal,
  onProgress: is.callback,
  name: is.text,
  scope: is.text,
  to: is.text,
  distance: is.size,
  metaGraph: is.size,
  first: is.size,
  count: is.count,
  brief: is.flag,
};

/**
 * The arguments of `asker`.
 * @typedef {{ maxValue?: number, maxMemory?: number }} ModelOptions
 */

/**
 * @param {OpenFile} file @param {Feed} feed @param {ModelKind} kind @param {ModelOptions} options
 * @param {Merged} [merged]
 */
function engineFor(file, feed, kind, options, merged) {
  const { instance } = file;
  const engine = file.make('cpb_model', (scope) =>
    instance.c.cpb_model_new(
      0,
      numberOf(instance, kind),
      scope.struct(structs.model_options, {
        max_value: options.maxValue,
        max_memory: options.maxMemory,
        limits: file.limitsIn(scope),
      }),
    ),
  );
  engine.feed = merged ? losing(instance, engine, feed, merged) : feed;
  return engine;
}

/**
 * Asks the model in `file`, whose (merged) message comes from `feed`.
 *
 * @param {OpenFile} file
 * @param {Feed} feed
 * @param {ModelKind} kind
 * @param {ModelOptions} options
 * @param {Merged} [merged] its chunks may be damaged: questions are then answered from the rest
 * @param {ReturnType<typeof inTurn>} [next] the engine answers one question at a time
 */
function asker(file, feed, kind, options, merged, next = inTurn()) {
  const { instance } = file;
  const engine = engineFor(file, feed, kind, options, merged);
  const questions = namesOf(instance, instance.c.cpb_question_name);
  const loadOperators = operatorsFor(instance, engine, kind);

  /** @param {QuestionName} question @param {QuestionOptions} options */
  async function answer(question, { signal, onProgress, ...options }) {
    signal?.throwIfAborted();
    await loadOperators(question, () => file.check());
    file.check();
    instance.scope((scope) => ask(engine, scope, questions.indexOf(question) + 1, options));
    try {
      await file.drive(engine, { signal, got: teller(onProgress, question) });
      return answerOf(engine, () => refuseForeign(file, feed));
    } catch (error) {
      if (isDamage(error)) refuseForeign(file, feed);
      throw error;
    } finally {
      engine.feed?.stop();
    }
  }

  /**
   * The answer, and the result of `take` from the engine before the next question.
   *
   * @template T @param {QuestionName} question @param {QuestionOptions} options
   * @param {(engine: Engine, instance: Instance) => T} take @returns {Promise<{ answer: any, taken: T }>}
   */
  async function askFor(question, options, take) {
    checkQuestion(questions, question, options);
    return next(async () => ({ answer: await answer(question, options), taken: take(engine, instance) }));
  }

  /** @template {any[]} Given @param {(instance: Instance, engine: Engine, ...given: Given) => void} set */
  const setter =
    (set) =>
    (/** @type {Given} */ ...given) =>
      next(() => (file.check(), set(instance, engine, ...given)));

  return {
    engine,
    /** @type {(question: QuestionName, options?: QuestionOptions) => Promise<any>} answers.d.ts has its type */
    ask: async (question, options = {}) => (await askFor(question, options, () => {})).answer,
    askFor,
    /** @param {CpbError} damage */
    noteDamage: (damage) => noteDamage(instance, engine, damage),
    setFile: setter(setFile),
    setCheckpoint: setter(setCheckpoint),
  };
}

/** @param {Engine} engine @param {() => void} onDamage */
function answerOf(engine, onDamage) {
  const found = JSON.parse(new TextDecoder().decode(engine.peek('answer')));
  if (found.problems?.some((/** @type {any} */ problem) => problem.damage)) onDamage();
  return found;
}

/** A file given as a model may be something else. @param {OpenFile} file @param {Feed} feed */
function refuseForeign({ instance, source }, feed) {
  const begin = feed.at(0)?.slice(0, HEAD);
  const text = begin && foreign(instance, { name: source.name ?? '', size: feed.size ?? 0, begin });
  if (text !== undefined) throw new CpbError('FORMAT', text);
}

/**
 * The same for all questions. Those that the file's module cannot answer go to another module, to an engine of its own,
 * which gets everything that the first one was given.
 *
 * @param {() => Promise<OpenFile>} whole opens the file in that module
 * @param {Parameters<typeof asker>} of
 */
export function askerOfAll(whole, ...[file, feed, kind, options, merged]) {
  const next = inTurn(); // shared by both engines, as they read from one feed
  const first = asker(file, feed, kind, options, merged, next);
  if (hasModels(file.instance)) return first;
  /** @typedef {typeof first} Asker */
  /** @type {((to: Asker) => unknown)[]} */
  const told = [];
  /** @type {Promise<Asker> | undefined} */
  let other;
  async function begin() {
    const made = asker(await whole(), feed, kind, options, merged, next);
    for (const tell of told) await tell(made);
    return made;
  }
  const second = () => {
    const making = (other ??= begin());
    making.catch(() => (other = undefined));
    return making;
  };
  /** @param {(to: Asker) => unknown} tell */
  async function tell(tell) {
    await tell(first);
    told.push(tell);
    if (other) await tell(await other);
  }
  /** @type {typeof first.askFor} */
  const askFor = async (question, ...rest) => (asksModels(question) ? await second() : first).askFor(question, ...rest);
  return {
    engine: first.engine,
    askFor,
    /** @type {typeof first.ask} */
    ask: async (question, options = {}) => (await askFor(question, options, () => {})).answer,
    /** @type {typeof first.setFile} */
    setFile: (name, bytes) => tell((to) => to.setFile(name, bytes)),
    setCheckpoint: first.setCheckpoint, // answers of the other engine do not use it
    /** @type {typeof first.noteDamage} */
    noteDamage: (damage) => void tell((to) => to.noteDamage(damage)),
  };
}

/**
 * @param {string[]} questions the supported ones
 * @param {QuestionName} question
 * @param {QuestionOptions} options
 */
function checkQuestion(questions, question, options) {
  if (!questions.includes(question))
    throw new CpbError('USAGE', `there is no question ${question}; there are ${questions.join(', ')}`);
  is.checkOptions(options, asking);
}

/**
 * @param {Engine} engine
 * @param {import('../wasm/instance.js').Scope} scope
 * @param {number} kind of question
 * @param {QuestionOptions} options
 */
function ask(engine, scope, kind, { name, scope: within, to, distance, metaGraph, first, count, brief }) {
  const encoder = new TextEncoder();
  const [nameBytes, scopeBytes, toBytes] = [name, within, to].map((text) =>
    text === undefined ? undefined : encoder.encode(text),
  );
  engine.call(
    'ask',
    scope.struct(structs.question, {
      kind,
      meta_graph: metaGraph,
      name: nameBytes && scope.bytes(nameBytes),
      name_size: nameBytes?.length,
      scope: scopeBytes && scope.bytes(scopeBytes),
      scope_size: scopeBytes?.length,
      to: toBytes && scope.bytes(toBytes),
      to_size: toBytes?.length,
      distance,
      first,
      count: count === 'all' ? Number.MAX_SAFE_INTEGER : count,
      brief: Number(brief ?? false),
    }),
  );
}

/**
 * A file next to a SavedModel.
 *
 * @param {import('../wasm/instance.js').Instance} instance @param {Engine} engine
 * @param {'keras_metadata' | 'fingerprint'} name @param {Uint8Array} bytes
 */
function setFile(instance, engine, name, bytes) {
  const taken = instance.scope((scope) => engine.call(`set_${name}`, scope.bytes(bytes), bytes.length));
  if (!taken) throw new CpbError('USAGE', `${name}.pb can be given for a SavedModel only`);
}

/**
 * @param {import('../wasm/instance.js').Instance} instance @param {Engine} engine
 * @param {{ pointer: number }} checkpoint @param {Uint8Array} [graph]
 */
function setCheckpoint(instance, engine, { pointer }, graph) {
  const taken = instance.scope((scope) =>
    engine.call('set_checkpoint', pointer, graph ? scope.bytes(graph) : 0, graph?.length ?? 0),
  );
  if (!taken) throw new CpbError('USAGE', 'checkpoint can be given for a SavedModel only');
}
