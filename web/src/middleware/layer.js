import { readManyByReads, streamByReads, tailByRead } from '../source/pieces.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('../types.js').Middleware} Middleware */

/**
 * A source with nothing optional left out but its name.
 * @typedef {Source & Required<Pick<Source, 'tail' | 'readMany' | 'stream' | 'reset' | 'close'>>} FullSource
 */

/**
 * A source that does some things itself and leaves the others to the one below; what
 * neither does is done by this one's `read` and `stat`. It is not `remote`: who builds
 * layers gets no others by default.
 *
 * @param {Source} below
 * @param {Partial<Source>} own
 * @returns {FullSource}
 */
export function layer(below, own) {
  const { name, transferred } = below;
  /** @type {Source} */
  const self = {
    name,
    transferred,
    read: (offset, length, options) => below.read(offset, length, options),
    stat: (options) => below.stat(options),
    tail: below.tail?.bind(below),
    readMany: below.readMany?.bind(below),
    stream: below.stream?.bind(below),
    reset: () => below.reset?.(),
    close: () => below.close?.(),
    ...own,
  };
  self.tail ??= tailByRead(self);
  self.readMany ??= readManyByReads(self);
  self.stream ??= streamByReads(self);
  return /** @type {FullSource} */ (self);
}

/**
 * `compose(source, a, b)` is b(a(source)).
 *
 * @param {Source} source
 * @param {...Middleware} middleware
 * @returns {Source}
 */
export const compose = (source, ...middleware) =>
  middleware.reduce((below, wrap) => wrap(below), source);
