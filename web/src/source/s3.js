/** Objects of S3 and compatible stores, through a client of the AWS SDK for JavaScript. */
import { CpbError } from '../errors.js';
import { storedSource } from './bucket.js';
import { streamOf } from './streams.js';

/** @import { Bucket, BucketObject, BucketRange } from './bucket.js' */

/**
 * The methods that are used of a client: `send`, which needs the SDK's GetObjectCommand, or `getObject`.
 * @typedef {object} S3Like
 * @property {(command: any, options?: any) => Promise<any>} [send] of an S3Client
 * @property {(input: any, options?: any) => Promise<any>} [getObject] of an S3
 */

/**
 * The object to read, and the client for it.
 * @typedef {object} S3Options
 * @property {S3Like} client an S3Client, or an S3, of the AWS SDK for JavaScript, version 3
 * @property {new (input: any) => any} [GetObjectCommand] of the same package; not needed for an S3
 * @property {string} bucket
 * @property {string} key
 * @property {object} [input] further parameters of GetObject, such as VersionId or RequestPayer
 */

/** Statuses that are not network failures. @type {Record<number, string>} */
const said = { 403: 'access is denied', 404: 'not found' };

/**
 * The bytes of an object's range, in the form of an R2 bucket.
 *
 * @param {any} object the result of GetObject
 * @param {string} key
 * @param {BucketRange} range the requested range
 * @returns {BucketObject}
 */
function objectOf({ Body: body, ContentRange, ContentLength = 0, ETag }, key, range) {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? '') ?? [];
  const size = Number(total ?? ContentLength);
  const [begin, end] =
    'suffix' in range
      ? [Math.max(0, size - range.suffix), size]
      : [range.offset, Math.min(size, range.offset + range.length)];
  const got = total === undefined ? [0, size] : [Number(first), Number(last) + 1];
  if (got[0] !== begin || got[1] !== end) {
    throw new CpbError('RANGE', `${key}: asked for bytes ${begin}-${end - 1}, got ${got[0]}-${Number(got[1]) - 1}`, {
      offset: begin,
    });
  }
  const etag = String(ETag ?? '').replace(/^"|"$/g, '');
  return { size, etag, httpEtag: ETag ?? '', body: webStream(body) };
}

/** @param {any} body @returns {ReadableStream<Uint8Array>} */
function webStream(body) {
  if (body?.getReader) return body;
  if (body?.transformToWebStream) return body.transformToWebStream();
  return streamOf(async function* pieces() {
    yield* body;
  });
}

/** @param {unknown} cause @param {string} key */
function errorOf(cause, key) {
  const { name, message, $metadata } = /** @type {any} */ (cause ?? {});
  const status = $metadata?.httpStatusCode;
  if (status === 412) return new CpbError('CHANGED', `${key} changed while it was read`, { cause });
  const retryable = status === undefined || status === 429 || status > 500;
  const words = said[status] ?? `${name}: ${message}`;
  return new CpbError(status ? 'HTTP' : 'NETWORK', `${key}: ${words}`, { status, retryable, cause });
}

/**
 * An object of S3, read by GetObject with Range and, from the second request on, If-Match; if it is replaced in the
 * meantime, reads fail.
 *
 * @param {S3Options} options
 * @returns {import('../types.js').Source}
 */
export function s3Source({ client, GetObjectCommand, bucket, key, input }) {
  /** @type {any} */
  const any = client;
  if (!any?.getObject && !(any?.send && GetObjectCommand))
    throw new CpbError('USAGE', 'the client is not an S3, or an S3Client with GetObjectCommand beside it');

  // A version belongs to one object.
  const ofOthers = { ...input, VersionId: undefined };

  /** @type {Bucket['get']} */
  async function get(name, { range, onlyIf, signal } = {}) {
    const wanted = /** @type {BucketRange} */ (range);
    const asked = {
      ...(name === key ? input : ofOthers),
      Bucket: bucket,
      Key: name,
      Range:
        'suffix' in wanted ? `bytes=-${wanted.suffix}` : `bytes=${wanted.offset}-${wanted.offset + wanted.length - 1}`,
      ...(onlyIf?.etagMatches && { IfMatch: `"${onlyIf.etagMatches}"` }),
    };
    const how = { abortSignal: signal };
    const answer = GetObjectCommand ? any.send(new GetObjectCommand(asked), how) : any.getObject(asked, how);
    return objectOf(
      await answer.catch((/** @type {unknown} */ cause) => {
        // An empty object has no ranges.
        if (/** @type {any} */ (cause)?.name === 'InvalidRange' && !onlyIf) return { Body: new Blob([]).stream() };
        throw errorOf(cause, name);
      }),
      name,
      wanted,
    );
  }

  /** @type {Bucket['head']} */
  async function head(name) {
    const object = await get(name, { range: { offset: 0, length: 1 } });
    await object?.body?.cancel();
    return object;
  }

  return storedSource({ get, head }, key);
}
