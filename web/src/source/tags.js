/** Entity tags (RFC 9110, 8.8.3). */

/** @typedef {import('./validators.js').Validators} Validators */

/** @param {string} etag */
export const isWeak = (etag) => etag.startsWith('W/');

/**
 * The tag from `stat`: a date alone makes a weak one.
 *
 * @param {Validators} validators
 */
export const tagOf = ({ etag, lastModified }) => etag ?? (lastModified && `W/"${lastModified}"`);

/**
 * The validators in a response.
 *
 * @param {Headers} headers
 * @param {number} size
 * @param {import('./url.js').UrlOptions} options
 * @returns {Validators}
 */
export const validatorsOf = (headers, size, { ignoreEtag }) => ({
  size,
  etag: (!ignoreEtag && headers.get('etag')) || undefined,
  lastModified: headers.get('last-modified') ?? undefined,
});
