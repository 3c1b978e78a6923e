/** The types of answers to questions; no code. The answers themselves are in answers.d.ts (scripts/answers.js). */

/** @import { Answers } from './answers.js' */

/**
 * The kinds of models.
 * @typedef {keyof Answers} ModelKind
 */

/**
 * Every key that one of the types has.
 * @template T
 * @typedef {T extends unknown ? keyof T : never} KeyOfAny
 */

/**
 * The questions; docs/inspecting.md describes their answers.
 * @typedef {KeyOfAny<Answers[ModelKind]>} QuestionName
 */

/**
 * One of the types; keys that only the others have are undefined, so that code may test for them.
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
 * The result of `inspect()` for it.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {Promise<AnswerOf<Kind, Question>>} Answer
 */

export {};
