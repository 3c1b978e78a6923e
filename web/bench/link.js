/** A slow link, through which all that a server sends goes. */
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('node:http').ServerResponse} Response */

/** @param {Response} response @returns {Promise<void>} */
const writable = (response) =>
  new Promise((resolve) => {
    const go = () => resolve(void response.off('drain', go).off('close', go));
    response.on('drain', go).on('close', go);
  });

/** The data that a sender has ready while the link is busy, in milliseconds of the link. */
const BUFFERED = 100;

/** @param {{ mbit: number, piece?: number }} options Mbit/s of all responses together; bytes sent at once */
export function slowLink({ mbit, piece = 16 * 1024 }) {
  const millisecondsPerByte = 8 / (mbit * 1000);
  let bytes = 0;
  let free = 0; // when the link has sent what was given to it

  /**
   * Its own clock counts: a timer that is late makes one piece late, and not the link slower.
   *
   * @param {number} length
   * @param {number} ready when these bytes were there to be sent
   */
  async function transmit(length, ready) {
    free = Math.max(free, ready) + length * millisecondsPerByte;
    bytes += length;
    await sleep(free - performance.now());
  }

  return {
    /** Bytes that went over it so far. */
    get bytes() {
      return bytes;
    },
    /**
     * @param {Response} response @param {(at: number, size: number) => Promise<Uint8Array>} read @param {number} begin
     * @param {number} end
     */
    async stream(response, read, begin, end) {
      let ready = performance.now();
      for (let at = begin; at < end && !response.destroyed; at += piece) {
        const part = await read(at, Math.min(piece, end - at));
        await transmit(part.length, ready);
        if (response.write(part) || response.destroyed) continue;
        await writable(response);
        ready = Math.max(ready, performance.now() - BUFFERED);
      }
      response.end();
    },
  };
}
