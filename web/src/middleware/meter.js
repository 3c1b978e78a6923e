import { CpbError } from '../errors.js';

/** @typedef {import('../types.js').Cost} Cost */

/** Counts the cost, and charges it to a budget. @typedef {ReturnType<typeof meter>} Meter */

/**
 * Counts requests and bytes, and refuses those beyond a limit. Bytes of a request under way
 * are reserved, so that concurrent requests cannot exceed the limit together.
 *
 * @param {Partial<Cost>} [limit]
 */
export function meter({ requests = Infinity, bytes = Infinity } = {}) {
  /** @type {Cost} */
  const cost = { requests: 0, bytes: 0 };
  let reserved = 0;

  function count() {
    if (cost.requests >= requests) {
      throw new CpbError('BUDGET', `a request exceeds the budget: all ${requests} are spent`);
    }
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
    /** @param {number} length that a request asks for; Infinity: as much as comes */
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
