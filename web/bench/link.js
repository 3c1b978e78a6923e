/** A slow link, through which all that a server sends goes. */
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('node:http').ServerResponse} Response */

/** @param {Response} response @returns {Promise<void>} */
const writable = (response) =>
  new Promise((resolve) => {
    const go = () => resolve(void response.off('drain', go).off('close', go));
    response.on('drain', go).on('close', go);
  });

/** @param {{ mbit: number, piece?: number }} options Mbit/s of all responses together; bytes sent at once */
export function slowLink({ mbit, piece = 16 * 1024 }) {
  const millisecondsPerByte = 8 / (mbit * 1000);
  let bytes = 0;
  let free = 0; // when the link has sent what was given to it

  /** @param {number} length */
  async function transmit(length) {
    free = Math.max(free, performance.now()) + length * millisecondsPerByte;
    bytes += length;
    await sleep(free - performance.now());
  }

  return {
    /** Bytes that went over it so far. */
    get bytes() {
      return bytes;
    },
    /** @param {Response} response @param {(at: number, size: number) => Promise<Uint8Array>} read @param {number} begin @param {number} end */
    async stream(response, read, begin, end) {
      for (let at = begin; at < end && !response.destroyed; at += piece) {
        const part = await read(at, Math.min(piece, end - at));
        await transmit(part.length);
        if (!response.write(part)) await writable(response);
      }
      response.end();
    },
  };
}
