/** What two models differ in; no code. What it means: docs/inspecting.md. */

/**
 * The two numbers of an array that are farthest apart. Strings where JSON has no such number: 'NaN',
 * 'Infinity', integers beyond 2^53.
 * @typedef {object} LargestDifference
 * @property {number | string} difference absolute
 * @property {number[]} [index] of the element; absent beyond 64 dimensions
 * @property {number} [state] of an updater: its number, from 1
 * @property {number | string} a
 * @property {number | string} b
 */

/**
 * A member of an item that differs. For values, the member is `values`, with how many elements
 * differ.
 * @typedef {object} MemberDifference
 * @property {string} member such as 'inputs.x.shape'
 * @property {unknown} [a] absent where the first model does not have it
 * @property {unknown} [b] absent where the second does not
 * @property {true} [renamed] of `name`: these are names of a layer that is otherwise alike
 * @property {number} [different] of values: elements; of strings, bytes
 * @property {number} [of] how many there are
 * @property {true} [bytes] bytes were counted
 * @property {LargestDifference} [largest] of integers, and floats of at least 16 bits
 * @property {string} [unreadable] whose values are damaged or not there
 */

/**
 * An item that only one model has, or whose members differ.
 * @typedef {object} Difference
 * @property {'added' | 'removed' | 'changed'} change
 * @property {string} name
 * @property {unknown} [a] the item, if it was removed
 * @property {unknown} [b] the item, if it was added
 * @property {true} [with_function] it is in a function that the other model lacks, too
 * @property {MemberDifference[]} [members] of one that changed
 */

/**
 * A list of both models.
 * @typedef {object} DifferenceSection
 * @property {string} section such as 'nodes'
 * @property {number} [meta_graph]
 * @property {string} [tag]
 * @property {string} [function]
 * @property {number} added
 * @property {number} removed
 * @property {number} changed
 * @property {number} same
 * @property {number} [unread] items that were not compared, as a model is damaged
 * @property {number} [elsewhere] constants that are the same, but whose values lie elsewhere
 * @property {Difference[]} differences the first of them
 */

/**
 * What two models differ in.
 * @typedef {object} Differences
 * @property {string} a the kind of the first model
 * @property {string} b of the second
 * @property {boolean} values whether values were compared
 * @property {true} [same_file] both are one file, so that no values were read
 * @property {boolean | null} equal null: a model is damaged, and what can be read of both is the same
 * @property {{ a?: { offset: number | null, text: string }, b?: { offset: number | null, text: string } }} [damaged]
 *   where models are damaged; what cannot be read of them is not compared
 * @property {DifferenceSection[]} sections
 * @property {{ sections: number, same: number }} left_out functions with the same nodes in both, and
 *   how many nodes these are
 */

export {};
