/** @import { Feed } from '../wasm/feed.js' */

/**
 * The feed of whichever file an engine needs.
 *
 * @param {() => Feed} feed
 * @param {() => void} [stop]
 * @returns {Feed}
 */
export const delegated = (feed, stop = () => feed().stop()) => ({
  get size() {
    return feed().size;
  },
  get got() {
    return feed().got;
  },
  at: (offset) => feed().at(offset),
  fetch: (...args) => feed().fetch(...args),
  measure: (...args) => feed().measure(...args),
  stop,
});
