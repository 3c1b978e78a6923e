/**
 * The types that the parts of the package share; no code.
 *
 * Offsets and sizes are numbers up to 2^53 - 1 (Number.MAX_SAFE_INTEGER); a file
 * that says more is refused with code LIMIT.
 */

/**
 * Options of every call that reads.
 * @typedef {object} ReadOptions
 * @property {AbortSignal} [signal] ends the call with the signal's reason; requests that
 *   other calls wait for, and the cache, are not affected
 * @property {(progress: Progress) => void} [onProgress] called when bytes have arrived; it causes no
 *   additional or smaller requests. An exception from it ends the call
 */

/**
 * Progress of a call.
 * @typedef {object} Progress
 * @property {string} of the data that is read or written: 'opening', 'chunk 3', 'message', 'field a.b[0]',
 *   'records', a question such as 'overview', 'values of w'
 * @property {number} done bytes read or written so far. For opening, finding a field, records and
 *   questions, bytes received from the file
 * @property {number | undefined} total of these bytes, if known; the last `done`
 */

/**
 * A range of bytes [offset, offset + length).
 * @typedef {{ offset: number, length: number }} Range
 */

/**
 * A source's facts about its file.
 * @typedef {object} Stat
 * @property {number} size in bytes
 * @property {string} [etag] changes when the bytes change; absent when unknown
 */

/**
 * A source of bytes. Your own source needs only `read` and `stat`.
 * Errors are CpbErrors (anything else thrown becomes one of code READ).
 *
 * @typedef {object} Source
 * @property {(offset: number, length: number, options?: ReadOptions) => Promise<Uint8Array>} read
 *   exactly the requested bytes; fewer only at the end of the input. The caller may
 *   keep the array but not change it (it may be cached)
 * @property {(options?: ReadOptions) => Promise<Stat>} stat cheap after the first call
 * @property {(length: number, options?: ReadOptions) => Promise<Stat & { bytes: Uint8Array }>} [tail]
 *   the last `length` bytes (or all) and the answer of `stat`, in one request
 * @property {(offset: number, length: number, options?: ReadOptions) => ReadableStream<Uint8Array>} [stream]
 *   the same bytes as `read` as they arrive, in one request, with backpressure; a length of
 *   Infinity goes to the end
 * @property {(name: string) => Source | undefined | Promise<Source | undefined>} [beside] another file in its
 *   folder or below, by its relative name, which has no `..`; a source without `beside` is in no folder
 * @property {() => void} [reset] forgets size, ETag and cached bytes, so
 *   that reading can start again after an error with code CHANGED
 * @property {() => void | Promise<void>} [close] releases its resources; called once
 * @property {boolean} [remote] each read costs a round trip: `open` puts retry,
 *   coalesce and cache around it
 * @property {boolean} [local] reading on costs less than another read, as from a disk: `open` reads up to 4 MiB at
 *   once; true for all sources of the package that are not remote
 * @property {Readonly<Cost>} [transferred] so far; live
 * @property {string} [name] for messages: a URL without its query, a file's name
 * @property {[url: string, headers?: HeadersInit]} [key] identifies the resource: `persist` keeps resources with
 *   different keys apart
 */

/**
 * Wraps a source in another that adds one thing: check, retry, coalesce, cache,
 * budget. `compose(source, a, b)` is b(a(source)).
 * @typedef {(source: Source) => Source} Middleware
 */

/**
 * Limits against hostile input, in bytes or counts (cpb_limits in cpb/base.h); Infinity lifts one.
 * @typedef {object} Limits
 * @property {number} [riegeliChunk] decoded bytes of a Riegeli chunk that must be
 *   held in memory; default 256 MiB
 * @property {number} [window] of a decoder; default 8 MiB
 * @property {number} [chunks] in an index; default 2^24
 * @property {number} [recordsPerChunk] default 2^24
 * @property {number} [depth] of nested messages; default 100
 * @property {number} [decoded] bytes that are decompressed for one request
 * @property {number} [decodedPerByte] and for each byte of the file; where either of the two is
 *   given, the other is not its default but 0. So it is with all pairs. Default 160 MiB and 32,768
 * @property {number} [held] bytes for an index or a plan; default 40 MiB
 * @property {number} [heldPerByte] default 64
 * @property {number} [walked] bytes of messages that are read through; default 128 MiB
 * @property {number} [walkedPerByte] default 1,024
 * @property {number} [entries] records, fields of a plan, nodes; default 2^22
 * @property {number} [entriesPerByte] default 8
 * @property {number} [answer] bytes of an answer; default 48 MiB
 * @property {number} [answerPerByte] default 16
 * @property {number} [index] bytes of the chunk index, decoded; default 16 MiB
 * @property {number} [indexPerByte] default 32
 * @property {number} [memory] of the WebAssembly instance, that is all that one
 *   opened file may take; default 1 GiB
 */

/**
 * The cost so far, or that of an operation in advance.
 * @typedef {object} Cost
 * @property {number} requests
 * @property {number} bytes
 */

export {};
