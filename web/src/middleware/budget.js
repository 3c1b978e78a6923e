import { CpbError } from '../errors.js';
import { around, layer, streamThrough } from './layer.js';

/** @typedef {import('../types.js').Cost} Cost */

/** What was spent, and of what it is taken. @typedef {ReturnType<typeof meter>} Meter */

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

/**
 * Refuses what would cost more than `limit` before it is asked for; each call of the
 * source below counts as one request. (`urlSource` has its own `budget`, which counts
 * what really is sent.) What it is put around, such as the other files of a model, has one budget.
 *
 * @param {Partial<Cost>} [limit]
 * @param {Meter} [usage] that of others with which it has one budget
 * @returns {import('../types.js').Middleware}
 */
const budget =
  (limit, usage = meter(limit)) =>
  (source) =>
    layer(source, {
      transferred: source.transferred ?? usage.cost,
      ...around(source, async (ask, _, length) => {
        if (length === 0) return ask();
        const bill = usage.begin(length);
        try {
          const answer = await ask();
          bill.received(sizeOf(answer));
          return answer;
        } finally {
          bill.end();
        }
      }),
      stream: streamThrough(source, async function* paid(pieces, _, length) {
        const bill = usage.begin(length);
        try {
          for await (const piece of pieces) {
            bill.received(piece.length);
            yield piece;
          }
        } finally {
          bill.end();
        }
      }),
    });

/** Of what `read` or `tail` answers. @param {any} answer @returns {number} */
const sizeOf = (answer) => (answer.bytes ?? answer).length;

export { budget };
