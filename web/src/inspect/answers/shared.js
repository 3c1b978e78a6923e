/** What answers about every kind of model have; no code. */

/**
 * A page of a list.
 * @template T
 * @typedef {object} Paged
 * @property {T[]} items those that were asked for
 * @property {number} first number of the first of them, from 0
 * @property {number} total how many there are in all
 */

/**
 * What could not be made out; the rest of the answer is what could.
 * @typedef {object} Problem
 * @property {number | null} offset in the message; null where there is none
 * @property {string} text
 * @property {true} [damage] the message could not be read beyond this: the rest is missing
 */

/**
 * Where something lies in the message (`model.message.read(offset, size)`).
 * @typedef {object} Extent
 * @property {number} offset
 * @property {number} size in bytes
 */

/**
 * Sizes of the dimensions, null for one that is not known or may be any; null for a shape of
 * which not even the number of dimensions is known.
 * @typedef {(number | null)[] | null} Shape
 */

export {};
