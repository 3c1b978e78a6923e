/** Types of questions and their answers; no code. The answers themselves are in answers.d.ts (scripts/answers.js). */

/** @import { Answers } from './answers.js' */

/**
 * The kind of a model.
 * @typedef {keyof Answers} ModelKind
 */

/**
 * Every key that one of the types has.
 * @template T
 * @typedef {T extends unknown ? keyof T : never} KeyOfAny
 */

/**
 * The name of a question; docs/inspecting.md describes the answer of each.
 * @typedef {KeyOfAny<Answers[ModelKind]>} QuestionName
 */

/**
 * One of the types; what only others have is there as undefined, so that it may be looked for.
 * @template T
 * @template {PropertyKey} [Key=KeyOfAny<T>]
 * @typedef {T extends unknown ? T & { [K in Exclude<Key, keyof T>]?: undefined } : never} OneOf
 */

/**
 * The answer to a question about a model of one of these kinds.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {OneOf<Kind extends unknown
 *   ? Question extends keyof Answers[Kind] ? Answers[Kind][Question] : never : never>} AnswerOf
 */

/**
 * The promise of an answer, as `inspect()` returns it.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {Promise<AnswerOf<Kind, Question>>} Answer
 */

export {};
