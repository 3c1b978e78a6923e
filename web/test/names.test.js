/** Every character of a name that a file gives stays in that name, wherever the file is, and leads nowhere else. */
import { bucketOf, s3Of } from './support/buckets.js';
import { libcpb } from './support/libcpb.js';
import { NAMES, naming, OUTSIDE, VALUES, valuesIn } from './support/names.js';
import { assert, each, json, test } from './support/test.js';

const { bucketSource, s3Source } = libcpb;

/**
 * Where a model is, and what reads its values there: it notes what is asked for besides the model.
 *
 * @typedef {(model: Uint8Array, asked: string[]) => Promise<Uint8Array>} Place
 */

/** What has the model under its key, and values under all others. @param {Uint8Array} model @param {string[]} asked */
const objects = (model, asked) =>
  bucketOf((key) => {
    if (key === 'dir/model.onnx') return model;
    asked.push(key);
    return VALUES;
  });

/** @type {Record<string, Place>} */
const places = {
  'by URL': (model, asked) => {
    /** @param {string} url @param {RequestInit} init */
    async function fetch(url, { headers }) {
      const isModel = url === 'https://host/dir/model.onnx?signature=1#fragment';
      if (!isModel) asked.push(url);
      const bytes = isModel ? model : VALUES;
      const [, first, last] = /(\d*)-(\d*)/.exec(new Headers(headers).get('range') ?? '') ?? [];
      const begin = first ? Number(first) : Math.max(0, bytes.length - Number(last));
      const end = first && last ? Math.min(Number(last) + 1, bytes.length) : bytes.length;
      const said = { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}`, ETag: '"1"' };
      return new Response(bytes.slice(begin, end), { status: 206, headers: said });
    }
    return valuesIn('https://host/dir/model.onnx?signature=1#fragment', { http: { fetch } });
  },
  'in a bucket': (model, asked) => valuesIn(bucketSource(objects(model, asked), 'dir/model.onnx')),
  'in S3': (model, asked) =>
    valuesIn(s3Source({ client: s3Of(objects(model, asked)), bucket: 'models', key: 'dir/model.onnx' })),
  "beside a source of one's own": (model, asked) => {
    const source = (/** @type {Uint8Array} */ bytes) => ({
      read: async (/** @type {number} */ at, /** @type {number} */ length) => bytes.slice(at, at + length),
      stat: async () => ({ size: bytes.length }),
    });
    return valuesIn({ ...source(model), beside: (/** @type {string} */ name) => (asked.push(name), source(VALUES)) });
  },
  'by a function': (model, asked) =>
    valuesIn(model, { references: (/** @type {string} */ name) => (asked.push(name), VALUES) }),
};

/** What is asked for. @type {Record<string, (name: string, escaped: string) => string>} */
const expected = {
  'by URL': (_, escaped) => `https://host/dir/${escaped}?signature=1`,
  'in a bucket': (name) => `dir/${name}`,
  'in S3': (name) => `dir/${name}`,
};

test('names are normalized as natively', async () =>
  each(
    await json('tests/data/names.json'),
    ({ name }) => JSON.stringify(name),
    async ({ name, file }) => {
      /** @type {string[]} */
      const asked = [];
      const read = valuesIn(bucketSource(objects(naming(name), asked), 'dir/model.onnx'));
      if (file === null) await assert.rejects(read, { name: 'CpbError' });
      else assert.deepEqual(await read, VALUES);
      assert.deepEqual([...new Set(asked)], file === null ? [] : [`dir/${file}`]);
    },
  ));

for (const [where, read] of Object.entries(places)) {
  test(`${where}: the name is all of the name`, () =>
    each(
      Object.entries(NAMES),
      ([name]) => JSON.stringify(name),
      async ([name, escaped]) => {
        /** @type {string[]} */
        const asked = [];
        assert.deepEqual(await read(naming(name), asked), VALUES);
        assert.deepEqual([...new Set(asked)], [expected[where]?.(name, escaped) ?? name]);
      },
    ));

  if (where === 'by a function') continue; // which decides by itself
  test(`${where}: files outside the folder are not requested`, () =>
    each(OUTSIDE, JSON.stringify, async (name) => {
      /** @type {string[]} */
      const asked = [];
      await assert.rejects(read(naming(name), asked), { name: 'CpbError', code: 'READ' });
      assert.deepEqual(asked, []);
    }));
}
