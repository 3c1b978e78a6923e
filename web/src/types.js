/**
 * The types that the parts of the package share; no code.
 *
 * Offsets and sizes are numbers up to 2^53 - 1 (Number.MAX_SAFE_INTEGER); a file with larger ones is rejected with code
 * LIMIT.
 */

/**
 * The options of every call that reads.
 * @typedef {object} ReadOptions
 * @property {AbortSignal} [signal] ends the call with the signal's reason; this does not affect other waiting calls and
 *   the cache
 * @property {(progress: Progress) => void} [onProgress] called when bytes have arrived; it does not cause more or
 *   smaller requests. An error that it throws ends the call
 */

/**
 * The progress of a call.
 * @typedef {object} Progress
 * @property {string} of the thing that is read or written: 'opening', 'chunk 3', 'message', 'field a.b[0]', 'records',
 *   a question such as 'overview', 'values of w'
 * @property {number} done number of its bytes that have arrived. For work without bytes of its own (opening, searching
 *   a field, records, questions), the number of bytes received from the file for it
 * @property {number | undefined} total total of these, if known; otherwise known at the last call, as `done`
 */

/**
 * A range of bytes [offset, offset + length).
 * @typedef {{ offset: number, length: number }} Range
 */

/**
 * The facts that a source knows about its data.
 * @typedef {object} Stat
 * @property {number} size in bytes
 * @property {string} [etag] changes when the bytes change; absent when unknown
 */

/**
 * Provides bytes. A source of your own needs only `read` and `stat`. Errors are CpbErrors (anything else thrown becomes
 * one of code READ).
 *
 * @typedef {object} Source
 * @property {(offset: number, length: number, options?: ReadOptions) => Promise<Uint8Array>} read exactly the requested
 *   bytes; fewer only at the end of the input. The caller may keep the array but not change it (it may be cached)
 * @property {(options?: ReadOptions) => Promise<Stat>} stat cheap after the first call
 * @property {(length: number, options?: ReadOptions) => Promise<Stat & { bytes: Uint8Array }>} [tail] the last `length`
 *   bytes (or all) and the result of `stat`, in one request
 * @property {(offset: number, length: number, options?: ReadOptions) => ReadableStream<Uint8Array>} [stream]
 *   the same bytes as `read` as they arrive, in one request, with backpressure; a length of
 *   Infinity goes to the end
 * @property {(name: string) => Source | undefined | Promise<Source | undefined>} [beside] another file in its folder or
 *   below it, by its relative name, which contains no `..`; a source without this method is in no folder
 * @property {() => void} [reset] forgets size, ETag and cached bytes, so that reading can start over after an error of
 *   code CHANGED
 * @property {() => void | Promise<void>} [close] releases its resources; called once
 * @property {boolean} [remote] each read costs a round trip: `open` puts retry,
 *   coalesce and cache around it
 * @property {boolean} [local] reading further costs less than another read, as with a disk: `open` reads up to 4 MiB at
 *   once; set for all sources that the package makes itself and that are not remote
 * @property {Readonly<Cost>} [transferred] so far; live
 * @property {string} [name] for messages: a URL without its query, a file's name
 * @property {[url: string, headers?: HeadersInit]} [key] identifies the resource: `persist` separates resources with
 *   different keys
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
 * @property {number} [decodedPerByte] and for each byte of the file; if only one of a pair is given, the other is 0
 *   instead of its default. This applies to all pairs. Default 160 MiB and 32,768
 * @property {number} [held] bytes for an index or a plan; default 40 MiB
 * @property {number} [heldPerByte] default 64
 * @property {number} [walked] bytes of messages that are scanned; default 128 MiB
 * @property {number} [walkedPerByte] default 1,024
 * @property {number} [entries] records, fields of a plan, nodes; default 2^22
 * @property {number} [entriesPerByte] default 8
 * @property {number} [answer] bytes of an answer; default 48 MiB
 * @property {number} [answerPerByte] default 16
 * @property {number} [index] bytes of the chunk index, decoded; default 16 MiB
 * @property {number} [indexPerByte] default 32
 * @property {number} [memory] of the WebAssembly instance, which is all the memory of one opened file; default 1 GiB
 */

/**
 * The transfer so far, or the cost of a read.
 * @typedef {object} Cost
 * @property {number} requests
 * @property {number} bytes
 */

export {};
