/**
 * A `.cpb` file of gigabytes that nobody holds. Its Riegeli chunks fill whole blocks, so
 * that the bytes of four of them, block headers and all, come round again and again.
 */
import '../support/libcpb.js';
import { field, noise, riegeli, varint } from '../support/files.js';

const BLOCK = 65536;
const BLOCK_HEADER = 24;
const CHUNK_HEADER = 40;
/** Where the first Riegeli chunk begins, and each other one in its block. */
const BEGIN = 64;
const BLOCKS = 64;
const SPAN = BLOCKS * BLOCK;
const KINDS = 4;

/** What of a Riegeli chunk of so many blocks is left for its one record. */
function recordSize() {
  const room = BLOCKS * (BLOCK - BLOCK_HEADER) - CHUNK_HEADER;
  return room - 2 - varint(room).length;
}

/** @param {number} i @param {number} [length] what chunk i begins with */
export const contentOf = (i, length = recordSize()) => noise(length, 1 + (i % KINDS));

/** @param {number} count of chunks of 4 MiB; chunk 0 is what they are nodes of */
function metadata(count) {
  const place = (/** @type {number} */ i) => (i === 0 ? BEGIN + (count - 1) * SPAN : BEGIN + (i - 1) * SPAN);
  const ROOT = field(1, 1);
  const step = (/** @type {number} */ n) => field(1, field(1, n));
  const at = (/** @type {number} */ n) => field(1, field(3, n));
  const numbers = Array.from({ length: count }, (_, i) => i);
  const chunks = numbers.flatMap((i) =>
    field(2, [...field(1, i ? 2 : 1), ...field(2, i ? recordSize() : ROOT.length), ...field(3, place(i))]),
  );
  const children = numbers
    .slice(1)
    .flatMap((i) => field(2, [...step(2), ...at(0), ...step(2), ...step(1), ...at(i - 1), ...field(3, field(1, i))]));
  const tree = field(3, [...field(1, 0), ...children]);
  return { root: ROOT, index: [...field(1, field(1, 1)), ...chunks, ...tree] };
}

/** @param {{ offset: number, bytes: Uint8Array }[]} pieces @param {number} from */
function assembled(pieces, from) {
  const end = Math.max(...pieces.map(({ offset, bytes }) => offset + bytes.length));
  const all = new Uint8Array(end - from);
  for (const { offset, bytes } of pieces) all.set(bytes, offset - from);
  return all;
}

/**
 * A file of `count` - 1 chunks of 4 MiB and a small one, as an answer to range requests.
 *
 * @param {number} count
 */
export async function largeFile(count) {
  const { root, index } = metadata(count);
  const kinds = Array.from({ length: KINDS }, (_, i) => contentOf(i));
  const head = assembled(await riegeli(0, kinds), 0);
  const end = BEGIN + (count - 1) * SPAN;
  const tail = assembled(await riegeli(end, [Uint8Array.from(root), Uint8Array.from(index)]), end);
  const size = end + tail.length;

  /** Some of the bytes from `at` on. @param {number} at @param {number} most */
  function some(at, most) {
    if (at >= end) return tail.subarray(at - end, at - end + most);
    const from = at < BEGIN ? at : BEGIN + ((at - BEGIN) % (KINDS * SPAN));
    return head.subarray(from, from + Math.min(most, end - at));
  }

  /** @type {(request: any, response: any) => Promise<void>} */
  async function answer(request, response) {
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const begin = first ? Number(first) : Math.max(0, size - Number(last));
    const stop = first && last ? Math.min(size, Number(last) + 1) : size;
    response.writeHead(206, {
      'Content-Length': stop - begin,
      'Content-Range': `bytes ${begin}-${stop - 1}/${size}`,
      ETag: '"large"',
    });
    for (let at = begin; at < stop && !response.destroyed;) {
      const bytes = some(at, Math.min(BLOCK, stop - at));
      at += bytes.length;
      if (!response.write(bytes)) {
        await /** @type {Promise<void>} */ (
          new Promise((go) => {
            const on = () => go(void response.off('drain', on).off('close', on));
            response.on('drain', on).on('close', on);
          })
        );
      }
    }
    response.end();
  }

  return { size, chunkSize: recordSize(), answer };
}
