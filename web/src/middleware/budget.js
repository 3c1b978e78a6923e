import { around, layer, streamThrough } from './layer.js';
import { meter } from './meter.js';

/** @import { Cost } from '../types.js' */
/** @import { Meter } from './meter.js' */

/**
 * Rejects a request that would exceed `limit` before it is sent; each call of the wrapped source counts as one request.
 * (`urlSource` has its own `budget`, which counts the requests that are really sent.) All the sources that it wraps,
 * such as the other files of a model, share one budget.
 *
 * @param {Partial<Cost>} [limit]
 * @param {Meter} [usage] shared with others that have the same budget
 * @returns {import('../types.js').Middleware}
 */
export function budget(limit, usage = meter(limit)) {
  return (source) =>
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
}

/** The number of bytes in an answer of `read` or `tail`. @param {any} answer @returns {number} */
const sizeOf = (answer) => (answer.bytes ?? answer).length;
