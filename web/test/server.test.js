/** The test server itself, as each runtime sees it: what it counts is what others rely on. */
import { counted } from './support/http.js';
import { assert, data, other, test } from './support/test.js';

const path = '/tests/data/records.manifest.json';

/** @type {(url: string, range?: string) => Promise<Response>} */
const get = (url, range) => fetch(url, { cache: 'no-store', headers: range ? { Range: range } : {} });

/** @type {(response: Response) => Promise<Uint8Array>} */
const bytes = async (response) => new Uint8Array(await response.arrayBuffer());

test('a range is exactly what was asked for, and counted', async () => {
  const whole = await data(path.slice(1));
  const { url, report } = counted(path);
  const middle = await get(url, 'bytes=10-29');
  assert.equal(middle.status, 206);
  assert.equal(middle.headers.get('content-range'), `bytes 10-29/${whole.length}`);
  assert.deepEqual(await bytes(middle), whole.slice(10, 30));
  assert.deepEqual(await bytes(await get(url, 'bytes=-7')), whole.slice(-7));
  assert.deepEqual(await bytes(await get(url, `bytes=${whole.length - 3}-${whole.length + 100}`)), whole.slice(-3));
  const { requests, bytes: sum, log } = await report();
  assert.equal(requests, 3);
  assert.equal(sum, 30);
  assert.deepEqual(
    log.map(({ method, range, status }) => [method, range, status]),
    [
      ['GET', 'bytes=10-29', 206],
      ['GET', 'bytes=-7', 206],
      ['GET', `bytes=${whole.length - 3}-${whole.length + 100}`, 206],
    ],
  );
});

test('a range past the end is a 416 that says the size', async () => {
  const whole = await data(path.slice(1));
  const response = await get(counted(path).url, `bytes=${whole.length}-`);
  assert.equal(response.status, 416);
  assert.equal(response.headers.get('content-range'), `bytes */${whole.length}`);
  await response.arrayBuffer();
});

test('the other origin lets scripts see the range and the ETag', async () => {
  const { url, report } = counted(path, other);
  const response = await get(url, 'bytes=0-0');
  assert.equal(response.status, 206);
  assert.match(response.headers.get('content-range') ?? '', /^bytes 0-0\/\d+$/);
  assert.match(response.headers.get('etag') ?? '', /^"[^"]+"$/);
  await response.arrayBuffer();
  assert.equal((await report()).requests, 1);
});

test('nothing outside the repository is served, and no folder', async () => {
  for (const wrong of ['/nothing', '/tests', '/%2e%2e/%2e%2e/etc/passwd']) {
    assert.equal((await get(`${other}${wrong}`)).status, 404, wrong);
  }
});
