/** Compares the open model with another. */
import { diff } from 'libcpb';
import { findModel } from './find-model.js';
import { amongFiles, atUrl, checkpointBeside, fileAt, isWithin } from './places.js';

/** @import { Place } from './places.js' */
/** @import { Requests } from './requests.js' */

/** @typedef {{ url: string } | { chosen: import('./places.js').Chosen[] }} Other */

/**
 * The options to open a model for a comparison, with the files next to it. @param {Place} place
 * @param {AbortSignal} signal
 */
async function withBeside(place, signal) {
  const near = (/** @type {string} */ name) => (isWithin(place) ? place.near(name) : undefined);
  if (/\.index$/.test(place.name)) return {}; // it is a checkpoint itself
  const [kerasMetadata, checkpoint] = await Promise.all([
    near('keras_metadata.pb')?.bytes(signal),
    checkpointBeside(place, near, signal),
  ]);
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
    if (one.remote && one.path === place.path) return { same: true };
    const [a, b] = await Promise.all([withBeside(place, signal), withBeside(one, signal)]);
    const differences = await diff(place.source(), one.source(), { a, b, skipValues, signal });
    return { ...differences, path: one.path };
  };
  if ('url' in other) return findModel(atUrl(await fileAt(other.url), requests, { beside: other.url }), to);
  const [first] = other.chosen;
  if (!first) throw new Error('no file was chosen');
  return to(amongFiles(first, other.chosen, requests, first.path));
}
