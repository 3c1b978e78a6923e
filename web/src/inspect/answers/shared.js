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

/**
 * What a tensor is to the model; parameters are the weights.
 * @typedef {'weight' | 'constant' | 'quantization' | 'optimizer' | 'state'} TensorUse
 */

/**
 * How many parameters a model has: elements of its weights, their bytes by type, and as stored.
 * @typedef {object} Parameters
 * @property {number | string} total
 * @property {number | string | null} trainable of these; null where the model does not say
 * @property {number | string | null} tensors how many weights; null, as the next two, where only layers are known
 * @property {number | string | null} bytes
 * @property {number | string | null} size
 * @property {true} [partial] the elements of some are not known
 */

/**
 * What a tensor counts as.
 * @typedef {object} Counted
 * @property {TensorUse | null} use null where nothing is known of it
 * @property {number | string} parameters how many elements it counts as
 */

export {};
