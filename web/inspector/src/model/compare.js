/** What the open model and another differ in. */
import { diff } from 'libcpb';
import { findModel } from './find-model.js';
import { amongFiles, atUrl, dataBeside, fileAt, indexBeside, isWithin } from './places.js';

/** @typedef {import('./places.js').Place} Place */
/** @typedef {import('./requests.js').Requests} Requests */
/** @typedef {{ url: string } | { chosen: import('./places.js').Chosen[] }} Other */

/** How a model is opened to be compared, with what lies beside it. @param {Place} place @param {AbortSignal} signal */
async function withBeside(place, signal) {
  const near = (/** @type {string} */ name) => (isWithin(place) ? place.near(name) : undefined);
  const index = near(indexBeside(place.name));
  const [kerasMetadata, bytes] = await Promise.all([near('keras_metadata.pb')?.bytes(signal), index?.bytes(signal)]);
  const checkpoint = index && bytes && { index: bytes, data: dataBeside(index) };
  return { kerasMetadata, checkpoint };
}

/**
 * @param {Place} place of the open model
 * @param {Other} other
 * @param {Requests} requests
 * @param {{ skipValues?: boolean, signal: AbortSignal }} how
 */
export async function compare(place, other, requests, { skipValues, signal }) {
  /** @param {Place} one */
  const to = async (one) => {
    const [a, b] = await Promise.all([withBeside(place, signal), withBeside(one, signal)]);
    const differences = await diff(place.source(), one.source(), { a, b, skipValues, signal });
    return { ...differences, path: one.path };
  };
  if ('url' in other) return findModel(atUrl(await fileAt(other.url), requests, { beside: other.url }), to);
  const [first] = other.chosen;
  if (!first) throw new Error('no file was chosen');
  return to(amongFiles(first, other.chosen, requests, first.path));
}
