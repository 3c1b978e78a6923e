/** Entity tags (RFC 9110, 8.8.3). */

/** @typedef {import('./validators.js').Validators} Validators */

/** @param {string} etag */
export const isWeak = (etag) => etag.startsWith('W/');

/**
 * The tag that `stat` tells: a date alone makes a weak one.
 *
 * @param {Validators} validators
 */
export const tagOf = ({ etag, lastModified }) => etag ?? (lastModified && `W/"${lastModified}"`);
