import { CpbError } from '../errors.js';

/** @import { Cost } from '../types.js' */

/** The requests and bytes spent so far, and the limits. @typedef {ReturnType<typeof meter>} Meter */

/**
 * Counts requests and bytes, and rejects those beyond a limit. Bytes of a running request are reserved, so that
 * concurrent requests cannot exceed the limit together.
 *
 * @param {Partial<Cost>} [limit]
 */
export function meter({ requests = Infinity, bytes = Infinity } = {}) {
  /** @type {Cost} */
  const cost = { requests: 0, bytes: 0 };
  let reserved = 0;

  function count() {
    if (cost.requests >= requests)
      throw new CpbError('BUDGET', `a request exceeds the budget: all ${requests} are spent`);
    cost.requests++;
  }

  /** @param {number} more */
  function allow(more) {
    const asked = cost.bytes + reserved;
    if (asked + more <= bytes) return;
    throw new CpbError('BUDGET', `${more} bytes exceed the budget: ${asked} of ${bytes} are spent`);
  }

  return {
    cost,
    /** @param {number} length the size of the request; Infinity: unknown */
    begin(length) {
      let left = length === Infinity ? 0 : length;
      allow(left);
      count();
      reserved += left;
      return {
        /** One more request for the same bytes, as after a redirect. */
        again: count,
        /** @param {number} count */
        received(count) {
          const expected = Math.min(count, left);
          left -= expected;
          reserved -= expected;
          cost.bytes += expected;
          allow(count - expected);
          cost.bytes += count - expected;
        },
        end() {
          reserved -= left;
          left = 0;
        },
      };
    },
  };
}
