/**
 * Where redirects lead, other addresses of files than their own, and servers that call a range 200.
 */
import { inspect } from '../src/index.js';
import { prepare } from '../src/source/index.js';
import { urlSource } from '../src/source/url.js';
import { counted } from './support/http.js';
import './support/libcpb.js'; // sets up what is seldom needed
import { bytesAt } from './support/lies.js';
import { assert, base, each, other, runtime, test } from './support/test.js';

const browser = ['chromium', 'firefox', 'webkit'].includes(runtime);

/** @type {(fault: string, query?: string) => ReturnType<typeof counted>} */
const lie = (fault, query = '') => counted(`/-/lie/${fault}?to=${encodeURIComponent(other)}${query}`);

/** @type {(url: string, http?: import('../src/source/url.js').UrlOptions) => ReturnType<typeof prepare>} */
const source = (url, http = {}) => prepare(url, { http, retry: false, cache: false });

/** Three ranges, far from each other. @type {(from: ReturnType<typeof prepare>) => Promise<void>} */
async function threeReads(from) {
  for (const offset of [1000, 200_000, 100_000]) {
    assert.deepEqual(await from.read(offset, 100), bytesAt(offset, offset + 100), `at ${offset}`);
  }
}

test('redirects are followed once, until what they led to fails', () =>
  each(
    /** @type {[string, object | undefined, number, number][]} */ ([
      // query, error, requests of all, and of these what a browser shows: of two redirects in a row, one
      ['', undefined, 2 + 3, 1 + 3],
      ['&uses=2', undefined, 2 + 2 + 1 + 2 + 1, 1 + 2 + 1 + 1 + 1],
      ['&uses=1', undefined, 3 + 1 + 3 + 3, 2 + 1 + 2 + 2],
      ['&uses=1&changes=etag', { code: 'CHANGED' }, 3 + 1 + 3, 2 + 1 + 2],
      ['&uses=1&changes=size', { code: 'CHANGED' }, 3 + 1 + 3, 2 + 1 + 2],
      ['&uses=0', { code: 'HTTP', status: 403 }, 3, 2],
    ]),
    ([query]) => query,
    async ([query, error, all, shown]) => {
      const { url, report } = lie('moved', query);
      const from = source(url);
      if (error) await assert.rejects(threeReads(from), error);
      else await threeReads(from);
      assert.equal((await report()).requests, all);
      assert.equal(from.transferred.requests, browser ? shown : all);
      assert.ok(from.transferred.bytes >= 100, `${from.transferred.bytes}`);
    },
  ));

test('82 ranges of a redirected URL are 83 requests, and all of them are counted', () =>
  each(
    /** @type {[string, number][]} */ ([
      ['redirect', 1],
      ['redirect-away', 1],
      ['moved', 2],
    ]),
    ([fault]) => fault,
    async ([fault, hops]) => {
      const { url, report } = lie(fault, '&size=8200000');
      const from = source(url);
      for (let i = 82; i-- > 0;) assert.equal((await from.read(i * 100_000, 10)).length, 10);
      assert.equal((await report()).requests, hops + 82);
      assert.deepEqual({ ...from.transferred }, { requests: (browser ? 1 : hops) + 82, bytes: 820 });
    },
  ));

test('headers stay with their origin', async () => {
  const { url, report } = lie('moved');
  /** @type {any[]} */
  const sent = [];
  const send = (/** @type {string} */ at, /** @type {any} */ init) => {
    sent.push([new URL(at).origin, new Headers(init.headers).get('x-key')]);
    if (browser) init.headers.delete('x-key'); // which the test server does not allow
    return fetch(at, init);
  };
  const from = source(url, { fetch: send, redirects: 'keep', headers: { 'X-Key': 'secret' } });
  await threeReads(from);
  assert.deepEqual(sent, [
    [base, 'secret'],
    [other, null],
    [other, null],
  ]);
  assert.equal((await report()).requests, 2 + 3);
});

test('a redirect to another origin never gets the headers', { skip: browser && 'it decides that' }, async () => {
  for (const [origin, error] of /** @type {const} */ ([
    [other, undefined],
    [base, { code: 'HTTP', status: 400 }],
  ])) {
    const to = encodeURIComponent(`${origin}/-/lie/without-key`);
    const from = source(counted(`/-/lie/moved-to?to=${to}`).url, { headers: { 'X-Key': 'secret' } });
    if (error) await assert.rejects(from.read(0, 1), error);
    else assert.equal((await from.read(0, 1)).length, 1);
  }
});

test('a fetch that may sign is used for another origin only on request', async () => {
  const { url, report } = lie('moved');
  /** @type {string[]} */
  const sent = [];
  await threeReads(source(url, { fetch: (at, init) => (sent.push(new URL(at).origin), fetch(at, init)) }));
  assert.deepEqual(sent, [base, base, base]);
  assert.equal((await report()).requests, 3 * 3);
  const again = lie('moved');
  await threeReads(source(again.url, { redirects: 'again' }));
  assert.equal((await again.report()).requests, 3 * 3);
});

test('redirects are followed again if the browser refuses only the target', async () => {
  const { url, report } = lie('moved');
  /** @type {(at: string, init: RequestInit) => Promise<Response>} */
  const send = (at, init) => (at.startsWith(other) ? Promise.reject(new TypeError('CORS')) : fetch(at, init));
  await threeReads(source(url, { fetch: send, redirects: 'keep' }));
  assert.equal((await report()).requests, 3 * 3);
});

test('a Content-Range counts whatever the status', () =>
  each(
    /** @type {[string, object | undefined][]} */ ([
      ['200-range', undefined],
      ['200-range-of-all', undefined],
      ['200-another-range', { code: 'RANGE', message: /asked for bytes=1000-1099 and gave bytes 1001-1099/ }],
      ['200-unknown-range', { code: 'RANGE', message: /no range of a known size/ }],
    ]),
    ([fault]) => fault,
    async ([fault, error]) => {
      const from = source(lie(fault).url);
      if (error) return assert.rejects(threeReads(from), error);
      await threeReads(from);
      const { size, bytes } = await source(lie(fault).url).tail(100);
      return assert.deepEqual(bytes, bytesAt(size - 100, size));
    },
  ));

test('ETags that differ from edge to edge are ignored on request', async () => {
  await assert.rejects(threeReads(source(lie('etag-of-edges').url)), { code: 'CHANGED', message: /its ETag was/ });
  await threeReads(source(lie('etag-of-edges').url, { ignoreEtag: true }));
  const dated = source(lie('etag-and-date-of-edges').url, { ignoreEtag: true });
  await assert.rejects(threeReads(dated), { code: 'CHANGED', message: /its Last-Modified was/ });
  const resized = source(lie('total-changes').url, { ignoreEtag: true });
  await assert.rejects(threeReads(resized), { code: 'CHANGED', message: /its size was/ });
});

/** What is requested for an address. @param {string} address @returns {Promise<string>} */
async function requested(address) {
  let asked = '';
  const nothing = async (/** @type {string} */ url) => ((asked = url), new Response('', { status: 404 }));
  await assert.rejects(urlSource(address, { fetch: nothing }).read(0, 1), { code: 'HTTP' });
  return asked.replace(/#.*/, '');
}

const table = async () => (await fetch(`${base}/tests/data/addresses.json`)).json();

test('other addresses of files are those that the command requests', async () => {
  const { requested: cases, refused, unknown } = await table();
  for (const [address, plain, inBrowser = plain] of cases) {
    assert.equal(await requested(address), browser ? inBrowser : plain, address);
  }
  for (const [address, message] of refused) {
    await assert.rejects(async () => urlSource(address).read(0, 1), { code: 'USAGE', message: new RegExp(message) });
  }
  for (const address of unknown) {
    await assert.rejects(async () => inspect(address), {
      code: 'USAGE',
      message: /expected one of http, https, hf, gs, s3/,
    });
  }
});

test('files beside one in a store are in its folder', async () => {
  /** @type {string[]} */
  const asked = [];
  const nothing = async (/** @type {string} */ url) => (asked.push(url), new Response('', { status: 404 }));
  const from = urlSource('hf://org/model/a b/m.onnx?x=1', { fetch: nothing });
  const beside = await from.beside?.('d/w #1.bin');
  await assert.rejects(async () => beside?.read(0, 1), { code: 'HTTP' });
  const pages = urlSource('https://huggingface.co/org/model/blob/main/m.onnx?x=1', { fetch: nothing });
  await assert.rejects(async () => (await pages.beside?.('w+.bin'))?.read(0, 1), { code: 'HTTP' });
  assert.deepEqual(asked, [
    'https://huggingface.co/org/model/resolve/main/a%20b/d/w%20%231.bin?x=1',
    'https://huggingface.co/org/model/resolve/main/w%2B.bin?x=1',
  ]);
  await assert.rejects(async () => from.beside?.('a?acl=1'), { message: /would begin a query/ });
});
