import { CpbError } from '../errors.js';
import { isWeak } from './tags.js';

/**
 * Distinguish states of a resource (RFC 9110, 8.8).
 *
 * @typedef {object} Validators
 * @property {number} size
 * @property {string} [etag]
 * @property {string} [lastModified]
 */

/**
 * Adds a response's validators to the known ones; if they contradict these, the resource has changed, which is an
 * error.
 *
 * @param {Validators | undefined} known
 * @param {Validators} found
 * @param {string} name
 * @returns {Validators}
 */
export function pin(known, found, name) {
  if (!known) return found;
  const difference = differs(known, found);
  if (difference) {
    throw new CpbError('CHANGED', `${name} changed while it was read: ${difference}`, {
      retryable: false,
    });
  }
  return {
    size: known.size,
    etag: known.etag ?? found.etag,
    lastModified: known.lastModified ?? found.lastModified,
  };
}

/**
 * ETags are compared weakly: a server that sometimes compresses weakens the tag of the same bytes. If one is weak or
 * missing, the date must agree as well.
 *
 * @param {Validators} a
 * @param {Validators} b
 */
function differs(a, b) {
  /** @param {string} what @param {keyof Validators} key */
  const changed = (what, key) => `its ${what} was ${a[key]}, now ${b[key]}`;
  if (a.size !== b.size) return changed('size', 'size');
  if (a.etag && b.etag) {
    if (opaque(a.etag) !== opaque(b.etag)) return changed('ETag', 'etag');
    if (!isWeak(a.etag) && !isWeak(b.etag)) return '';
  }
  return a.lastModified && b.lastModified && a.lastModified !== b.lastModified
    ? changed('Last-Modified', 'lastModified')
    : '';
}

/** @param {string} etag */
const opaque = (etag) => etag.replace(/^W\//, '');
