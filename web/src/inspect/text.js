/** Models in protobuf's text format (.pbtxt): the parsed message replaces the file. */
import { CpbError } from '../errors.js';
import { feedOf } from '../reader/message-feed.js';
import { plainBody } from '../reader/plain-body.js';
import { prepare } from '../source/index.js';
import { structs } from './structs.js';

/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Body } from '../reader/merged-body.js' */

/** As natively; its message takes as much again. */
const MOST = 256 * 2 ** 20;

/**
 * @param {OpenFile} file
 * @param {number} kind its number
 * @param {Uint8Array} text
 * @param {boolean} keepDamaged whether the part of a damaged text before the damage is used
 */
function read({ instance, limitsIn }, kind, text, keepDamaged) {
  return instance.scope((scope) => {
    const error = scope.struct('error');
    const size = scope.alloc(4);
    const how = scope.struct(structs.text_options, { limits: limitsIn(scope), keep_damaged: Number(keepDamaged) });
    const message = instance.c.cpb_model_from_text(kind, scope.bytes(text), text.length, how, size, error);
    const damage = instance.get('error', error).code ? instance.error(error) : undefined;
    if (!message) throw damage;
    const bytes = instance.copy(message, instance.u32(size));
    instance.free(message);
    return { bytes, damage };
  });
}

/**
 * The source to read the model from instead, and the place of damage in its text.
 *
 * @param {OpenFile} file
 * @param {number} kind its number
 * @param {Body} body of the text
 * @param {number} size
 * @param {{ signal?: AbortSignal, keepDamaged: boolean }} options
 */
export async function fromText(file, kind, body, size, { signal, keepDamaged }) {
  if (size > MOST) throw new CpbError('LIMIT', `a text of ${size} bytes; at most ${MOST} are read`);
  const { bytes, damage } = read(file, kind, await body.read(0, size, { signal }), keepDamaged);
  const made = plainBody({ ...file, source: prepare(bytes, {}), size: bytes.length, held: [] }, false);
  return { body: made, feed: await feedOf({ ...file, held: [] }, made, bytes.length), damage };
}
