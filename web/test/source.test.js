/** Where bytes come from: each source gives the same bytes by each of its methods. */
import { setUpAllParts } from '../src/all-parts.js';
import { CpbError } from '../src/errors.js';
import { blobSource, bytesSource } from '../src/source/memory.js';
import { bucketSource } from '../src/source/bucket.js';
import { prepare } from '../src/source/index.js';
import { fake } from './support/fakes.js';
import { counted } from './support/http.js';
import { bytesAt } from './support/lies.js';
import { libcpb } from './support/libcpb.js';
import { assert, base, data, each, runtime, test } from './support/test.js';

setUpAllParts();

const SIZE = 3_000_000;
const file = bytesAt(0, SIZE);

/**
 * A bucket with one object, like Cloudflare's: a range that does not begin inside of
 * the object is an error, one that ends beyond it is cut.
 *
 * @param {{ etag?: string, size?: number }} object may be changed
 */
function bucket(object) {
  /** @type {string[]} */
  const log = [];
  const info = () => ({ size: object.size ?? SIZE, etag: object.etag ?? 'one', httpEtag: `"${object.etag ?? 'one'}"` });
  return {
    log,
    /** @type {import('../src/source/bucket.js').Bucket} */
    binding: {
      async head(key) {
        log.push('head');
        return key === 'model' ? info() : null;
      },
      async get(key, { range, onlyIf } = {}) {
        log.push(JSON.stringify(range));
        if (key !== 'model') return null;
        if (onlyIf && onlyIf.etagMatches !== info().etag) return info();
        const { size } = info();
        const wanted =
          range && 'suffix' in range
            ? [Math.max(0, size - range.suffix), size]
            : [range?.offset ?? 0, Math.min(size, (range?.offset ?? 0) + (range?.length ?? size))];
        const [begin = 0, end = 0] = wanted;
        if (begin >= size) throw new Error('get: The requested range is not satisfiable (10039)');
        return { ...info(), body: new Blob([bytesAt(begin, end)]).stream() };
      },
    },
  };
}

/** @type {Record<string, () => any>} */
const inputs = {
  bytes: () => file,
  'an ArrayBuffer': () => file.slice().buffer,
  'a DataView of part of a buffer': () => {
    const larger = new Uint8Array(SIZE + 20);
    larger.set(file, 10);
    return new DataView(larger.buffer, 10, SIZE);
  },
  'a Blob': () => new Blob([file]),
  'a File': () => new File([file], 'model.cpb', { lastModified: 1 }),
  'a URL': () => new URL(counted(`/-/lie/honest?size=${SIZE}`).url),
  'a string': () => counted(`/-/lie/honest?size=${SIZE}`).url,
  'a bucket object': () => bucketSource(bucket({}).binding, 'model'),
  "a source of one's own": () => fake({ size: SIZE }).source,
};

test('each input gives the same bytes by read, tail and stream', () =>
  each(
    Object.entries(inputs),
    ([name]) => name,
    async ([, make]) => {
      const source = prepare(make());
      const { size } = await source.stat();
      assert.equal(size, SIZE);
      const tail = await source.tail(1000);
      assert.equal(tail.size, SIZE);
      assert.deepEqual(tail.bytes, file.slice(-1000));
      for (const [offset, length] of [
        [0, 10],
        [12_345, 54_321],
        [SIZE - 5, 5],
        [SIZE - 5, 100],
        [SIZE, 5],
        [7, 0],
      ]) {
        const [begin = 0, count = 0] = [offset, length];
        assert.deepEqual(
          (await source.read(begin, count)).slice(),
          file.slice(begin, begin + count),
          `${offset}+${length}`,
        );
      }
      const streamed = new Uint8Array(await new Response(source.stream(1000, 2_500_000)).arrayBuffer());
      assert.deepEqual(streamed, file.slice(1000, 2_501_000));
      assert.ok(source.transferred.requests > 0 && source.transferred.bytes >= 2_500_000);
      await source.close();
    },
  ));

test('a value that is no input is refused', () => {
  for (const wrong of [undefined, null, 5, {}, [1, 2]]) {
    assert.throws(() => prepare(/** @type {any} */ (wrong)), { code: 'USAGE' });
  }
});

test('a range that is none is refused', async () => {
  const source = prepare(file);
  for (const [offset, length] of [
    [-1, 5],
    [0.5, 5],
    [0, -1],
    [NaN, 1],
    [2 ** 53 - 1, 2],
  ]) {
    await assert.rejects(source.read(Number(offset), Number(length)), { code: 'USAGE' }, `${offset}+${length}`);
  }
});

test('data: and blob: URLs are read', { skip: runtime === 'workerd' && 'workerd has no blob: URLs' }, async () => {
  const url = URL.createObjectURL(new Blob([file]));
  assert.deepEqual((await prepare(url).read(100, 50)).slice(), file.slice(100, 150));
  URL.revokeObjectURL(url);
  assert.deepEqual((await prepare('data:;base64,AAECAwQ=').read(1, 3)).slice(), Uint8Array.of(1, 2, 3));
});

test(
  "a relative URL is one of the page's",
  {
    skip: !['chromium', 'firefox', 'webkit'].includes(runtime) && 'only pages have a location',
  },
  async () => {
    const { url } = counted('/-/lie/honest', base);
    assert.deepEqual(await prepare(url.replace(base, '')).read(10, 50), bytesAt(10, 60));
  },
);

test('a bucket object costs one request for its tail, and a head only where it must', async () => {
  const { binding, log } = bucket({});
  const source = prepare(bucketSource(binding, 'model'));
  await source.tail(100);
  await source.read(10, 5);
  assert.deepEqual(log, ['{"suffix":100}', '{"offset":10,"length":5}']);
  await prepare(bucketSource(binding, 'model')).read(10, 5);
  assert.deepEqual(log.slice(2), ['head', '{"offset":10,"length":5}']);
});

test('a bucket object that changes, is missing or fails', async () => {
  const object = { etag: 'one' };
  const source = prepare(bucketSource(bucket(object).binding, 'model'));
  await source.read(0, 5);
  object.etag = 'two';
  await assert.rejects(source.read(100, 5), { code: 'CHANGED' });
  source.reset();
  assert.equal((await source.read(100, 5)).length, 5);
  await assert.rejects(prepare(bucketSource(bucket({}).binding, 'other')).stat(), { code: 'HTTP', status: 404 });
  let failures = 2;
  const { binding } = bucket({});
  const shaky = {
    ...binding,
    head: async (/** @type {string} */ key) => {
      if (failures-- > 0) throw new Error('head: We encountered an internal error. Please try again. (10001)');
      return binding.head(key);
    },
  };
  assert.equal((await prepare(bucketSource(shaky, 'model'), { retry: { base: 1 } }).stat()).size, SIZE);
});

test('a source that is not remote is asked as it was composed', async () => {
  const { source, log } = fake();
  const prepared = prepare(source);
  await Promise.all([prepared.read(0, 5), prepared.read(5, 5), prepared.read(0, 5)]);
  assert.deepEqual(log, ['read 0+5', 'read 5+5', 'read 0+5']);
});

test('an exception of a source becomes a READ error', async () => {
  const broken = {
    read: async () => {
      throw new TypeError('oh');
    },
    stat: () => {
      throw new Error('never');
    },
  };
  const error = await assert.rejects(prepare(broken).read(0, 1), { code: 'READ', message: /oh/ });
  assert.ok(error instanceof CpbError && error.cause instanceof TypeError);
  await assert.rejects(prepare(broken).stat(), { code: 'READ' });
});

test('bytes are not copied', async () => {
  assert.equal((await bytesSource(file).read(5, 10)).buffer, file.buffer);
  assert.equal((await blobSource(new File([file], 'f', { lastModified: 7 })).stat()).etag, `"${SIZE}-7"`);
});

/** What the file system says of a Blob or File becomes a CpbError with what it was caused by. */
test('errors of a Blob have a code and a cause', async () => {
  const said = [
    ['NotReadableError', 'CHANGED', false],
    ['NotFoundError', 'CHANGED', false],
    ['SecurityError', 'READ', false],
    ['NotAllowedError', 'READ', false],
    ['InvalidStateError', 'READ', true],
  ];
  for (const [name, code, retryable] of said) {
    const cause = new DOMException('refused', String(name));
    const broken = Object.assign(new Blob([file]), {
      slice: () => ({
        arrayBuffer: () => Promise.reject(cause),
        stream: () => new ReadableStream({ pull: (sink) => sink.error(cause) }),
      }),
    });
    const source = prepare(broken, { retry: false });
    const error = { name: 'CpbError', code, retryable, cause };
    await assert.rejects(source.read(0, 10), error);
    await assert.rejects(source.stream(0, 10).getReader().read(), error);
  }
});

test('an error of damage says if the file may have changed unnoticed', async () => {
  const bytes = (await data('tests/data/cpb/real_keras_export/max3000_none.cpb')).slice();
  const whole = await libcpb.open(bytes);
  const { position } = whole.chunk(0);
  bytes.set([1, 2, 3, 4], position + 64);
  /** @param {Partial<import('../src/types.js').Source>} more @param {string} [etag] */
  const messageOf = async (more, etag) => {
    const read = async (/** @type {number} */ offset, /** @type {number} */ length) =>
      bytes.slice(offset, offset + length);
    const source = { read, stat: async () => ({ size: bytes.length, etag }), ...more };
    const model = await libcpb.open(source);
    const error = await assert.rejects(model.chunk(0).bytes(), { code: 'DAMAGED' });
    model.close();
    return String(error);
  };
  assert.match(await messageOf({ remote: true }), /; perhaps the file changed while it was read: neither an ETag nor/);
  assert.ok(!(await messageOf({ remote: true }, '"one"')).includes('perhaps'));
  assert.ok(!(await messageOf({})).includes('perhaps'));
});
