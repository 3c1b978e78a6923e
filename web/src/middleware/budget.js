import { around, layer, streamThrough } from './layer.js';
import { meter } from './meter.js';

/** @typedef {import('../types.js').Cost} Cost */
/** @typedef {import('./meter.js').Meter} Meter */

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

/** Size of an answer of `read` or `tail`. @param {any} answer @returns {number} */
const sizeOf = (answer) => (answer.bytes ?? answer).length;

export { budget };
