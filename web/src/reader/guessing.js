/** Reads a message with guesses of the next reads, and with facts from earlier sessions. */
import { equalJumps } from './equal-jumps.js';
import { keptOutline } from './outline.js';
import { readingOn } from './read-on.js';

/** @import { OpenFile } from './open-file.js' */
/** @import { Body } from './merged-body.js' */

/**
 * @param {OpenFile} file @param {Body} body @param {number} size @returns {{ read: Body['read'], stop?: () => void }}
 */
export function guessing(file, body, size) {
  const on = body.goesOn ? readingOn(body, size) : undefined;
  const jumps = on && equalJumps(body, size, (distance) => !on.reachesOver(distance));
  const outline = body.until ? undefined : keptOutline(file.source, size);
  if (outline) file.keep(outline.save);
  /** @type {Body['read']} */
  async function ask(...range) {
    const guessed = await jumps?.at(...range);
    if (guessed) on?.stop();
    return guessed ?? (on ?? body).read(...range);
  }
  return {
    async read(offset, length, options) {
      const known = await outline?.at(offset, length);
      const bytes = known ?? (await ask(offset, length, options));
      if (!known) outline?.add(offset, bytes);
      return bytes;
    },
    stop: on && (() => (on.stop(), jumps?.stop())),
  };
}
