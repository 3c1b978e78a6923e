/** The feed for engines that read parts of a message. */
import { parts } from '../parts.js';
import { createFeed } from '../wasm/feed.js';

/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { Body } from './merged-body.js' */

/** The smallest fetch: bytes after a tag are either few or skipped. */
const AHEAD = 4096;
const REMEMBERED = 8 * 2 ** 20;

/**
 * The feed that all searches in a message share, so that they reuse each other's bytes.
 *
 * @param {OpenFile} file @param {Body} body @param {number} size @returns {Promise<Feed>}
 */
export async function feedOf(file, body, size) {
  const { until } = body;
  const guesses = until && !body.goesOn ? undefined : (await parts.guessing()).guessing(file, body, size);
  const source = { read: guesses?.read ?? body.read, stat: async () => ({ size }) };
  const feed = createFeed(source, { ahead: AHEAD, most: REMEMBERED, until, held: until ? [] : file.held, size });
  if (guesses?.stop) file.keep((feed.stop = guesses.stop));
  return feed;
}
