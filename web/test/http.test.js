/**
 * The fault matrix: for each way in which a server lies, breaks or refuses, reading
 * gives the right bytes or a typed error, in a bounded number of requests.
 */
import { prepare } from '../src/source/index.js';
import { urlSource } from '../src/source/url.js';
import { counted } from './support/http.js';
import './support/libcpb.js'; // sets up what tells why servers refuse
import { FILE_SIZE, bytesAt } from './support/lies.js';
import { assert, base, each, other, runtime, test } from './support/test.js';

const browser = ['chromium', 'firefox', 'webkit'].includes(runtime);

/** @typedef {ReturnType<typeof prepare>} Source */

/** @type {(fault: string, query?: string, origin?: string) => ReturnType<typeof counted>} */
const lie = (fault, query = '', origin = base) => counted(`/-/lie/${fault}${query}`, origin);

/** Retries at once, and remembers for how long it should have waited. */
function hasty() {
  /** @type {number[]} */
  const pauses = [];
  return { pauses, retry: { jitter: () => 1, sleep: async (/** @type {number} */ ms) => void pauses.push(ms) } };
}

/** For how long it waits: where something comes in the end, until then. @param {string} url */
const patience = (url) => (url.includes('/lie/stall') ? 700 : 20_000);

/** @type {(url: string, options?: any) => ReturnType<typeof prepare>} */
const source = (url, { http = {}, ...rest } = {}) =>
  prepare(url, { retry: hasty().retry, http: { timeout: patience(url), ...http }, ...rest });

/** @type {(source: Pick<Source, 'read'>, offset: number, length: number) => Promise<void>} */
async function reads(from, offset, length) {
  assert.deepEqual(await from.read(offset, length), bytesAt(offset, offset + length), `${length} at ${offset}`);
}

/** Two ranges in the middle. @type {(source: Source) => Promise<void>} */
async function twoReads(from) {
  await reads(from, 1000, 5000);
  await reads(from, 200_000, 50_000);
}

/** @type {(source: Source) => Promise<void>} */
async function tail(from) {
  const { size, bytes } = await from.tail(1000);
  assert.equal(size, FILE_SIZE);
  assert.deepEqual(bytes, bytesAt(size - 1000, size));
}

/** By hand: some engines' Response hides a stream's error. @type {(source: Source) => Promise<void>} */
async function stream(from) {
  const reader = from.stream(1000, 250_000).getReader();
  let at = 1000;
  for (let part; !(part = await reader.read()).done; at += part.value.length) {
    assert.deepEqual(part.value, bytesAt(at, at + part.value.length), `at ${at}`);
  }
  assert.equal(at, 251_000);
}

/**
 * Checks the outcome and the number of requests, and that all were GET.
 *
 * @param {string} fault
 * @param {(source: Source) => Promise<unknown>} act
 * @param {{ most: number, error?: object, query?: string, options?: object, origin?: string }} expected
 */
async function outcome(fault, act, { most, error, query, options, origin }) {
  const { url, report } = lie(fault, query, origin);
  const from = source(url, options);
  if (error) await assert.rejects(act(from), error, fault);
  else await act(from);
  const { requests, log } = await report();
  assert.ok(requests <= most, `${fault}: ${requests} requests, at most ${most}`);
  // A client may repeat a GET that was cut off before its headers; nobody else does.
  if (fault !== 'reset-once') assert.equal(from.transferred.requests, requests, `${fault}: requests counted`);
  for (const { method } of log) assert.equal(method, 'GET', fault);
}

/**
 * @type {(title: string, act: (source: Source) => Promise<void>, cases: [string, object | null, number, object?][]) => void}
 */
function matrix(title, act, cases) {
  test(title, () =>
    each(
      cases,
      ([fault]) => fault,
      ([fault, error, most, more]) => outcome(fault, act, { most, ...(error && { error }), ...more }),
    ),
  );
}

matrix('a range is exactly what was asked for, or a RANGE error', twoReads, [
  ['honest', null, 2],
  ['identity', null, 2],
  ['short', null, 2],
  ['shifted', { code: 'RANGE', retryable: false, status: 206, message: /asked for bytes=1000-5999 .* 1001-5999/ }, 1],
  ['wider', { code: 'RANGE' }, 1],
  // Browsers find these two broken before a script sees them. One request more asks whether it is a redirect.
  ['more', browser ? { code: /RANGE|NETWORK/ } : { code: 'RANGE' }, browser ? 5 : 1],
  ['crumbs', { code: 'RANGE', message: /less than was asked for/ }, 6],
  ['fewer-once', null, 3],
  ['fewer', { code: 'NETWORK', retryable: true, message: /4990 of the 5000/ }, 4],
  ['no-content-range', { code: 'RANGE', message: /without Content-Range/ }, 1],
  ['unknown-total', null, 4],
  ['unknown-total-capped', null, 5],
  ['unknown-total-endless', { code: 'RANGE', message: /does not say how many bytes there are/ }, 5],
  ['unknown-total-416', { code: 'RANGE', message: /which is no range of a known size|416/ }, 3],
  ['small-total', { code: 'RANGE' }, 1],
  ['backwards', { code: 'RANGE' }, 1],
  ['multipart', { code: 'RANGE', message: /several parts/ }, 1],
  [
    'encoded',
    browser ? { code: /RANGE|NETWORK/ } : { code: 'RANGE', message: /Content-Encoding: br/ },
    browser ? 5 : 1,
  ],
]);

matrix('a whole resource is taken and kept up to a bound, never beyond', (from) => reads(from, 1000, 5000), [
  ['whole', null, 1],
  ['whole-unannounced', null, 1],
  [
    'whole',
    { code: 'RANGE', status: 200, message: /300000 bytes; up to 299999 \(maxWhole\)/ },
    1,
    { options: { http: { maxWhole: 299_999 } } },
  ],
  ['whole-unannounced', { code: 'RANGE' }, 1, { options: { http: { maxWhole: 299_999 } } }],
  ['endless', { code: 'RANGE' }, 1],
]);

matrix('a second range of a whole resource costs nothing', twoReads, [['whole', null, 1]]);

test('an endless answer is not downloaded', async () => {
  const { url } = lie('endless');
  const from = source(url);
  await assert.rejects(from.read(1000, 10), { code: 'RANGE' });
  assert.ok(from.transferred.bytes < 3 << 20, `${from.transferred.bytes} bytes`);
  const announced = source(lie('whole').url, { http: { maxWhole: 299_999 } });
  await assert.rejects(announced.read(1000, 10), { code: 'RANGE' });
  assert.equal(announced.transferred.bytes, 0, 'one that announces its size');
});

test('a whole resource in response to a range is accepted, whatever its size', async () => {
  const { url, report } = lie('whole');
  const from = source(url, { http: { maxWhole: 0 } });
  await reads(from, 0, FILE_SIZE);
  await reads(from, 5000, 10);
  assert.equal((await report()).requests, 1);
});

matrix(
  'a resource that changes is noticed',
  async (from) => {
    await twoReads(from);
    await reads(from, 100_000, 10);
  },
  [
    ['etag-changes', { code: 'CHANGED', retryable: false, message: /"one", now "two"/ }, 2],
    ['etag-weak-changes', { code: 'CHANGED' }, 2],
    ['etag-weak-date-changes', { code: 'CHANGED', message: /Last-Modified/ }, 2],
    ['etag-later', { code: 'CHANGED' }, 3],
    ['date-changes', { code: 'CHANGED', message: /Last-Modified/ }, 2],
    ['total-changes', { code: 'CHANGED', message: /300000, now 300001/ }, 2],
    ['416-shrunk', { code: 'CHANGED', message: /300000, now 10/ }, 2],
    ['etag-weakens', null, 3],
    ['etag-weak', null, 3],
    ['etag-strong-date-changes', null, 3],
    ['date', null, 3],
    ['nothing-to-compare', null, 3],
    ['whole-later', null, 2],
    ['whole-later-changed', { code: 'CHANGED' }, 2],
  ],
);

test('a server without ETag or date is refused on request', async () => {
  const http = { requireValidator: true };
  for (const fault of ['honest', 'date', 'etag-weak']) await reads(source(lie(fault).url, { http }), 0, 10);
  for (const act of [twoReads, tail]) {
    const from = source(lie('nothing-to-compare').url, { http });
    await assert.rejects(act(from), { code: 'RANGE', message: /neither ETag nor Last-Modified, as requireValidator/ });
    assert.equal(from.transferred.requests, 1);
  }
});

test('after a change everything can begin anew', async () => {
  const { url } = lie('etag-changes');
  const from = source(url);
  await reads(from, 0, 100);
  await assert.rejects(from.read(1000, 100), { code: 'CHANGED' });
  await assert.rejects(from.read(2000, 100), { code: 'CHANGED' }, 'until it is reset');
  from.reset();
  await reads(from, 0, 200);
  assert.equal((await from.stat()).etag, '"two"');
});

test('a response to a request from before a reset is dropped', async () => {
  const { url } = lie('etag-changes');
  /** @type {() => void} */
  let go = () => {};
  const gate = new Promise((resolve) => {
    go = () => resolve(undefined);
  });
  const from = source(url, {
    http: {
      fetch: async (/** @type {string} */ target, /** @type {RequestInit} */ init) => {
        const response = await fetch(target, init);
        if (response.headers.get('etag') === '"one"') await gate;
        return response;
      },
    },
  });
  const before = from.read(0, 100);
  while (from.transferred.requests === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  from.reset();
  go();
  await assert.rejects(before, { code: 'CHANGED' });
  await reads(from, 1000, 100);
  assert.equal((await from.stat()).etag, '"two"');
  await reads(from, 5000, 100);
});

matrix('refusals are told apart', (from) => reads(from, 1000, 5000), [
  ['400', { code: 'HTTP', status: 400, retryable: false }, 1],
  ['401', { code: 'HTTP', status: 401, message: /headers.*“Bearer”|who asks/ }, 1],
  ['403', { code: 'HTTP', status: 403, retryable: false, message: /denied.*go away/ }, 1],
  ['403-expired', { code: 'HTTP', status: 403, message: /has expired; it says .*Request has expired/ }, 1],
  ['404', { code: 'HTTP', status: 404, retryable: false }, 1],
  ['204', { code: 'HTTP', status: 204 }, 1],
  ['416', { code: 'RANGE', status: 416, message: /416 to a range at 0/ }, 2],
  ['500', { code: 'HTTP', status: 500, retryable: true }, 4],
  ['501', { code: 'HTTP', status: 501, retryable: false }, 1],
  [
    '503-hour',
    {
      code: 'HTTP',
      status: 503,
      retryable: true,
      retryAfter: 3_600_000,
      message: /asks to wait 3600 s \(Retry-After\)/,
    },
    1,
  ],
]);

matrix('a refusal later is told, too', twoReads, [
  ['403-expired-later', { status: 403, message: /expired/ }, 2],
  ['416-later', { code: 'RANGE', status: 416 }, 2],
]);

test('no message shows the query of a URL, which may hold a signature', async () => {
  const { url } = lie('403', '?X-Amz-Signature=secret');
  const error = await assert.rejects(source(url).read(0, 10));
  assert.ok(!error.message.includes('secret'), error.message);
});

matrix('what passes is tried again', twoReads, [
  ['500-twice', null, 4],
  ['429-seconds', null, 3],
  ['429-date', null, 3],
  ['stall-once', null, 3],
  ['stall-body-once', null, 3],
  ['reset-once', null, 4],
  ['cut-once', null, 3],
]);

test('a server is given the time that it asks for', async () => {
  for (const [fault, least, most] of /** @type {[string, number, number][]} */ ([
    ['429-seconds', 7000, 7000],
    ['429-date', 15_000, 21_000],
    ['500-twice', 250, 250],
  ])) {
    const { pauses, retry } = hasty();
    await reads(source(lie(fault).url, { retry }), 0, 10);
    assert.ok(Number(pauses[0]) >= least && Number(pauses[0]) <= most, `${fault}: ${pauses}`);
  }
});

test('an attempt that nothing answers ends in time', () =>
  each(
    [
      ['stall', 'TIMEOUT'],
      ['stall-body', 'TIMEOUT'],
      ['reset', 'NETWORK'],
      ['cut', 'NETWORK'],
    ],
    ([fault]) => String(fault),
    async ([fault, code]) => {
      const { url } = lie(String(fault));
      const begun = Date.now();
      const timeout = code === 'TIMEOUT' ? 150 : 5_000; // a broken connection is noticed sooner
      await assert.rejects(source(url, { http: { timeout } }).read(0, 100_000), { code, retryable: true });
      assert.ok(Date.now() - begun < 15_000, `${Date.now() - begun} ms`);
    },
  ));

// The whole takes four seconds, in pieces a quarter of one apart.
test('slowness is no silence', async () => {
  const from = source(lie('slow').url, { http: { timeout: 3_500 }, retry: false });
  await reads(from, 0, 80_000);
});

test('a byte now and then, or all too late, is an error that says how much came', () =>
  each(
    /** @type {[string, string, object, RegExp | undefined, number][]} */ ([
      ['trickle', '', {}, /sent \d+ bytes in \d+ ms; expected 100 a second \(minSpeed\)$/, 2],
      ['trickle-twice', '', {}, undefined, 3],
      ['trickle', '', { minSpeed: 0, maxTime: 700 }, /sent \d+ bytes in 700 ms; expected all \(maxTime\)$/, 2],
      ['trickle', '&each=50', {}, undefined, 1],
      ['trickle', '&each=50', { minSpeed: 100_000 }, /expected 100000 a second/, 2],
      ['stall', '', { maxTime: 100 }, /sent 0 bytes in 100 ms; expected all \(maxTime\)/, 2],
    ]),
    ([fault, query, http]) => fault + query + JSON.stringify(http),
    async ([fault, query, http, message, most]) => {
      const { url, report } = lie(fault, `?size=1000${query}`);
      const attempts = message ? 2 : 3;
      const from = source(url, { http: { timeout: 300, ...http }, retry: { ...hasty().retry, attempts } });
      if (message) await assert.rejects(from.read(0, 1000), { code: 'TIMEOUT', retryable: true, message });
      else assert.deepEqual(await from.read(0, 1000), bytesAt(0, 1000));
      assert.equal((await report()).requests, most);
      if (fault === 'trickle') assert.ok(from.transferred.bytes > 0, 'what came of failed attempts counts');
    },
  ));

test('time without a waiting reader is not counted', async () => {
  const from = source(lie('honest', '?size=4000000').url, {
    http: { timeout: 1_000, minSpeed: 1_000, maxTime: 2_000 },
  });
  const reader = from.stream(0, 4_000_000).getReader();
  let bytes = 0;
  for (let part; !(part = await reader.read()).done; bytes += part.value.length) {
    if (bytes < 100_000) await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  assert.equal(bytes, 4_000_000);
  assert.equal(from.transferred.requests, 1);
});

matrix('the tail is one request, or what a server makes of it and plain ranges', tail, [
  ['honest', null, 1],
  ['whole', null, 1],
  ['etag-weak', null, 1],
  ['suffix-200', null, 1],
  ['suffix-200', null, 3, { options: { http: { maxWhole: 1000 } } }],
  ['suffix-endless', null, 3],
  ['suffix-416', null, 3],
  ['suffix-400', null, 3],
  ['suffix-501', null, 3],
  ['suffix-as-head', null, 2],
  ['suffix-short', null, 2],
  ['suffix-500-once', null, 2],
  ['suffix-403', { code: 'HTTP', status: 403 }, 1],
  ['honest', null, 2, { options: { http: { suffix: false } } }],
  ['endless', { code: 'RANGE' }, 2],
]);

test('the tail of a file that is smaller, or empty', async () => {
  for (const suffix of [true, false]) {
    for (const size of [0, 1, 999]) {
      const { url, report } = lie('honest', `?size=${size}`);
      const found = await source(url, { http: { suffix } }).tail(1000);
      assert.equal(found.size, size);
      assert.deepEqual(found.bytes, bytesAt(0, size));
      assert.ok((await report()).requests <= 2);
    }
  }
});

test('a read past the end gives what there is', async () => {
  const { url, report } = lie('honest');
  const from = source(url);
  assert.deepEqual(await from.read(FILE_SIZE - 10, 1000), bytesAt(FILE_SIZE - 10, FILE_SIZE));
  assert.equal((await from.read(FILE_SIZE, 10)).length, 0);
  assert.equal((await from.read(FILE_SIZE + 5, 10)).length, 0);
  assert.equal((await report()).requests, 1);
  for (const fault of ['honest', '416-silent']) {
    const unknown = source(lie(fault).url);
    assert.equal((await unknown.read(FILE_SIZE + 5, 10)).length, 0, `${fault}: when the size is not known yet`);
    assert.equal((await unknown.stat()).size, FILE_SIZE);
  }
});

matrix('a stream is one request, and goes on where it broke off', stream, [
  ['honest', null, 1],
  ['short', null, 3],
  ['slow', null, 1],
  ['whole', null, 1],
  ['500-twice', null, 3],
  ['cut-once', null, 2],
  ['stall-body-once', null, 2],
  ['cut', { code: 'NETWORK' }, 8],
  ['shifted', { code: 'RANGE' }, 1],
  ['404', { status: 404 }, 1],
]);

test('a stream that is resumed is of the same resource', async () => {
  const { url } = lie('honest');
  let n = 0;
  const from = source(url, {
    http: {
      fetch: async (/** @type {string} */ target, /** @type {RequestInit} */ init) =>
        fetch(++n === 1 ? target.replace('honest', 'cut') : target.replace('honest', 'etag-changes'), init),
    },
  });
  await assert.rejects(stream(from), { code: 'CHANGED' });
  assert.equal(n, 2);
});

test("a stream takes no more than is read from it, and its end is the connection's", async () => {
  const from = source(lie('honest', '?size=50000000').url, { http: { timeout: 20_000 } });
  const reader = from.stream(0, 50_000_000).getReader();
  await reader.read();
  await reader.cancel();
  assert.ok(from.transferred.bytes < 25_000_000, `${from.transferred.bytes}`);
});

test('a redirect keeps the range, and where it led can be read', async () => {
  const { url, report } = lie('redirect');
  const from = urlSource(url);
  await reads(/** @type {any} */ (from), 1000, 5000);
  const { log } = await report();
  assert.deepEqual(
    log.map(({ range }) => range),
    ['bytes=1000-5999', 'bytes=1000-5999'],
  );
  assert.equal(from.url, url);
  assert.match(from.finalUrl, /\/-\/lie\/honest\?/);
  const away = source(lie('redirect-away', `?to=${encodeURIComponent(other)}`).url);
  await twoReads(away);
});

test('redirects without end are an error, and not tried again', async () => {
  const { url, report } = lie('redirect-forever');
  const from = source(url);
  const message = browser ? /it redirects, which the browser does not follow/ : /redirects more than 10 times/;
  await assert.rejects(from.read(0, 10), { code: browser ? 'NETWORK' : 'HTTP', retryable: false, message });
  const { requests } = await report();
  assert.ok(requests <= (browser ? 25 : 11), `${requests} requests`);
  if (!browser) assert.equal(from.transferred.requests, requests);
});

test('a redirect to what is no http URL is an error', { skip: browser && 'browsers tell no script' }, () =>
  each(['ftp://x/y', 'http://[', 'file:///etc/passwd'], String, async (to) => {
    const { url } = lie('moved-to', `?to=${encodeURIComponent(to)}`);
    await assert.rejects(source(url).read(0, 10), {
      code: 'HTTP',
      status: 302,
      message: /leads to no http or https URL/,
    });
  }),
);

test('a redirect is on the budget', async () => {
  const { url } = lie('redirect');
  await assert.rejects(source(url, { budget: { requests: 1 } }).read(0, 10), { code: 'BUDGET' });
});

test('a range to an unknown end is requested without an end', async () => {
  const { url, report } = lie('honest');
  const from = source(url, { budget: { bytes: 1 << 20 } });
  const whole = new Uint8Array(await new Response(from.stream(1000, Infinity)).arrayBuffer());
  assert.deepEqual(whole, bytesAt(1000, FILE_SIZE));
  const { log } = await report();
  assert.deepEqual(
    log.map(({ range }) => range),
    ['bytes=1000-'],
  );
  const all = source(lie('endless').url).stream(0, Infinity).getReader();
  await assert.rejects(all.read(), { code: 'RANGE' }, 'one that sends all, and no end of it');
});

test('a budget is kept before a request is sent', async () => {
  const { url, report } = lie('honest');
  const from = source(url, { budget: { requests: 2, bytes: 100_000 } });
  await reads(from, 0, 10_000);
  await assert.rejects(from.read(10_000, 90_001), { code: 'BUDGET' });
  await reads(from, 10_000, 90_000);
  await assert.rejects(from.read(200_000, 1), { code: 'BUDGET' });
  assert.equal((await report()).requests, 2);
  assert.deepEqual({ ...from.transferred }, { requests: 2, bytes: 100_000 });
});

test('retries and continued ranges are on the budget', async () => {
  await outcome('500-twice', (from) => reads(from, 0, 5000), { most: 3, options: { budget: { bytes: 6000 } } });
  await outcome('500', (from) => from.read(0, 10), {
    most: 2,
    error: { code: 'BUDGET' },
    options: { budget: { requests: 2 } },
  });
  await outcome('crumbs', (from) => from.read(0, 10), {
    most: 3,
    error: { code: 'BUDGET' },
    options: { budget: { requests: 3 } },
  });
});

test('an abort ends a read at once with its reason', () =>
  each(['stall', 'stall-body', 'honest'], String, async (fault) => {
    const from = source(lie(fault).url, { http: { timeout: 20_000 } });
    const controller = new AbortController();
    const reason = new Error('enough');
    const begun = Date.now();
    const reading = from.read(0, 1000, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), fault === 'honest' ? 0 : 60);
    if (fault === 'honest') await reading.catch(() => {});
    else assert.equal(await assert.rejects(reading), reason);
    controller.abort(reason); // the honest answer may have been quicker
    assert.equal(await assert.rejects(from.read(0, 10, { signal: controller.signal })), reason, 'aborted before');
    assert.ok(Date.now() - begun < 15_000);
  }));

test('an abort ends a stream and a tail, too', async () => {
  const reason = new Error('enough');
  const from = source(lie('stall-body').url, { http: { timeout: 20_000 } });
  const first = new AbortController();
  const reading = new Response(from.stream(0, 1000, { signal: first.signal })).arrayBuffer();
  setTimeout(() => first.abort(reason), 50);
  await assert.rejects(reading);
  const second = new AbortController();
  const ending = from.tail(1000, { signal: second.signal });
  setTimeout(() => second.abort(reason), 50);
  assert.equal(await assert.rejects(ending), reason);
});

test('only Range is added to a request, and the URL stays as it is', async () => {
  /** @type {[string, RequestInit][]} */
  const seen = [];
  const { url } = lie('honest');
  const from = source(`${url}&X-Sig=a%2Fb+c`, {
    http: {
      headers: { Authorization: 'yes' },
      fetch: (/** @type {string} */ target, /** @type {RequestInit} */ init) => {
        seen.push([target, init]);
        return fetch(target, {
          signal: init.signal,
          headers: { Range: String(new Headers(init.headers).get('Range')) },
        });
      },
    },
  });
  await from.tail(100);
  await reads(from, 0, 10);
  for (const [target, init] of seen) {
    assert.equal(target, `${url}&X-Sig=a%2Fb+c`);
    assert.deepEqual([...new Headers(init.headers).keys()], ['authorization', 'range']);
    assert.ok(!init.method);
  }
});

test(
  'another origin that hides its headers is told what to expose',
  { skip: !browser && 'only browsers hide' },
  async () => {
    await outcome('hidden', (from) => from.read(0, 10), {
      most: 1,
      origin: other,
      error: { code: 'RANGE', message: /Access-Control-Expose-Headers: Content-Range, ETag/ },
    });
  },
);

test('another origin that forbids is told what to allow', { skip: !browser && 'only browsers ask' }, async () => {
  const from = source(lie('no-cors', '', other).url);
  await assert.rejects(from.read(0, 10), { code: 'NETWORK', message: /Access-Control-Allow-Origin/ });
});

test('another origin gets no preflight', { skip: !browser && 'only browsers send any' }, async () => {
  await outcome('honest', tail, { most: 2, origin: other });
  await outcome('honest', tail, { most: 1, origin: other, options: { http: { suffix: true } } });
});

test("a browser's cache does not lie twice", async () => {
  const { url } = lie('cacheable');
  const from = source(url);
  await twoReads(from);
  await twoReads(source(url));
});
