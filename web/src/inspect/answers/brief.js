/** Answers to questions with the option `brief`, where they are others; no code. */

/** @import { OnnxGraphCounts, OnnxOverview } from './onnx.js' */
/** @import { Extent } from './shared.js' */

/**
 * The overview with the option `brief`: if there is `unread`, which was passed over, what only initializers tell is
 * absent, and their number null.
 * @typedef {Omit<OnnxOverview, 'parameters' | 'external_data' | 'graph'>
 *   & Partial<Pick<OnnxOverview, 'parameters' | 'external_data'>>
 *   & { unread?: Extent, graph: OnnxBriefGraphCounts | null }} OnnxBriefOverview
 */

/**
 * The model's graph without what initializers tell.
 * @typedef {Omit<OnnxGraphCounts, 'initializers' | 'sparse_initializers'>
 *   & { initializers: number | null, sparse_initializers: number | null }} OnnxBriefGraphCounts
 */

export {};
