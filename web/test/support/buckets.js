/** A bucket such as R2's, and a client of S3, as far as they are used, over objects that a test has. */

/**
 * What a bucket answers to `get` and `head`.
 *
 * @param {(key: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>} find an object, by its key as it is
 * @param {string[]} [asked] the keys that were asked for
 */
export function bucketOf(find, asked = []) {
  const answer = async (/** @type {string} */ key, /** @type {any} */ range) => {
    asked.push(key);
    const bytes = await find(key);
    if (!bytes) return null;
    const offset = range?.suffix ? Math.max(0, bytes.length - range.suffix) : (range?.offset ?? 0);
    const part = bytes.slice(offset, range?.length ? offset + range.length : undefined);
    return { size: bytes.length, etag: 'one', httpEtag: '"one"', body: new Blob([part]).stream() };
  };
  return {
    get: (/** @type {string} */ key, /** @type {any} */ { range } = {}) => answer(key, range),
    head: (/** @type {string} */ key) => answer(key, undefined),
  };
}

/**
 * A client of S3 whose objects are those of a bucket.
 *
 * @param {ReturnType<typeof bucketOf>} bucket
 * @param {any[]} [asked] what was passed to each GetObject
 */
export const s3Of = (bucket, asked = []) => ({
  async getObject(/** @type {any} */ input) {
    asked.push(input);
    const [, from, to] = /bytes=(\d*)-(\d*)/.exec(input.Range) ?? [];
    const range = from ? { offset: Number(from), length: Number(to) - Number(from) + 1 } : { suffix: Number(to) };
    const found = await bucket.get(input.Key, { range });
    if (!found) throw Object.assign(new Error('no'), { $metadata: { httpStatusCode: 404 } });
    const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
    const begin = 'suffix' in range ? found.size - bytes.length : range.offset;
    const ContentRange = `bytes ${begin}-${begin + bytes.length - 1}/${found.size}`;
    return { Body: new Blob([bytes]).stream(), ContentRange, ETag: found.httpEtag };
  },
});
