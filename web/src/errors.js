/**
 * The values of `code` in an error. The first thirteen are those of cpb/base.h.
 *
 * | code | meaning |
 * |---|---|
 * | `USAGE` | an argument is wrong or a call came out of order |
 * | `MEMORY` | out of memory |
 * | `DAMAGED` | the input is damaged |
 * | `TRUNCATED` | the input ends too early |
 * | `FORMAT` | the input has another format |
 * | `UNSUPPORTED` | this version of libcpb cannot read it |
 * | `LIMIT` | a limit was reached |
 * | `NOT_FOUND` | no such file, chunk, record or field |
 * | `READ` | reading failed |
 * | `WRITE` | writing failed |
 * | `CANCELLED` | the operation was cancelled |
 * | `DENIED` | the file may not be read; of a URL it is `HTTP` with its status |
 * | `UNAVAILABLE` | the server cannot be reached; of a URL it is `NETWORK`, `TIMEOUT` or `HTTP` |
 * | `HTTP` | the server answered with an error status |
 * | `NETWORK` | no response, or one that broke off; in a browser perhaps CORS |
 * | `TIMEOUT` | the server took too long |
 * | `RANGE` | the server does not support range requests correctly |
 * | `CHANGED` | the resource changed while it was read |
 * | `BUDGET` | more requests or bytes than allowed |
 * | `TRAPPED` | the WebAssembly instance failed and is not used again |
 * | `CLOSED` | the file was closed |
 */
export const codes = Object.freeze(
  /** @type {const} */ ([
    'USAGE',
    'MEMORY',
    'DAMAGED',
    'TRUNCATED',
    'FORMAT',
    'UNSUPPORTED',
    'LIMIT',
    'NOT_FOUND',
    'READ',
    'WRITE',
    'CANCELLED',
    'DENIED',
    'UNAVAILABLE',
    'HTTP',
    'NETWORK',
    'TIMEOUT',
    'RANGE',
    'CHANGED',
    'BUDGET',
    'TRAPPED',
    'CLOSED',
  ]),
);

/**
 * One of `codes`.
 * @typedef {(typeof codes)[number]} Code
 */

/** Every error of this package, except for an aborted signal's reason, which is thrown unchanged. */
export class CpbError extends Error {
  /**
   * @param {Code} code stable
   * @param {string} message
   * @param {object} [details]
   * @param {number} [details.offset] byte offset in the input
   * @param {boolean} [details.retryable] whether the same call may succeed later
   * @param {number} [details.status] HTTP status
   * @param {number} [details.retryAfter] milliseconds that the server asks to wait
   * @param {unknown} [details.cause]
   */
  constructor(code, message, { offset, retryable = false, status, retryAfter, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CpbError';
    this.code = code;
    this.offset = offset;
    this.retryable = retryable;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Errors of files that another program is writing. */
const busy = /^(NoModificationAllowed|InvalidState)Error$/;

/** Turns an error from elsewhere into a CpbError. @param {unknown} error @param {string} who @param {Code} [code] */
export function asCpbError(error, who, code = 'READ') {
  if (error instanceof CpbError) return error;
  const { message = error, name } = /** @type {Error} */ (error ?? {});
  const retryable = code === 'NETWORK' || busy.test(name);
  return new CpbError(code, `${who}: ${message}`, { retryable, cause: error });
}
