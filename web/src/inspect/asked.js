/** What a question is answered with; no code. The answers themselves are in answers.d.ts (scripts/answers.js). */

/** @import { Answers } from './answers.js' */

/**
 * What a model is.
 * @typedef {keyof Answers} ModelKind
 */

/**
 * Every key that one of the types has.
 * @template T
 * @typedef {T extends unknown ? keyof T : never} KeyOfAny
 */

/**
 * What can be asked; docs/inspecting.md says what each answers.
 * @typedef {KeyOfAny<Answers[ModelKind]>} QuestionName
 */

/**
 * One of the types; what only others have is there as undefined, so that it may be looked for.
 * @template T
 * @template {PropertyKey} [Key=KeyOfAny<T>]
 * @typedef {T extends unknown ? T & { [K in Exclude<Key, keyof T>]?: undefined } : never} OneOf
 */

/**
 * What a question to a model of one of these kinds is answered with.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {OneOf<Kind extends unknown
 *   ? Question extends keyof Answers[Kind] ? Answers[Kind][Question] : never : never>} AnswerOf
 */

/**
 * What `inspect()` gives for it.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {Promise<AnswerOf<Kind, Question>>} Answer
 */

export {};
