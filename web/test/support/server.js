/**
 * A server that lies: `handle` answers /-/lie/FAULT?count=TOKEN&size=N with a file of N
 * bytes (`bytesAt` in lies.js) and this fault. The n-th request with a token may be
 * answered differently than the first. HEAD is always refused.
 *
 * A fault is a function (exchange) → true when it has answered; what it leaves to be
 * answered is answered honestly, with what it put into `exchange.headers`.
 */
import { FILE_SIZE, bytesAt } from './lies.js';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

/**
 * @typedef {object} Exchange
 * @property {Request} request
 * @property {Response} response
 * @property {URL} url
 * @property {number} n of this request, from 1
 * @property {number} size
 * @property {boolean} isSuffix whether it is asked for as bytes=-N
 * @property {[number, number] | undefined} range begin and end (exclusive)
 * @property {Record<string, string | number>} headers
 * @property {(status: number, headers?: object, body?: Uint8Array | string) => true} send
 * @property {(change?: {begin?: number, end?: number, total?: number | string, body?: Uint8Array, length?: boolean, status?: number}) => true} partial
 */

const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Range',
  'Access-Control-Expose-Headers': 'Content-Range, Content-Length, ETag, Retry-After, Content-Encoding, Last-Modified',
};

const expired =
  '<?xml version="1.0"?><Error><Code>AccessDenied</Code>' +
  '<Message>Request has expired</Message><Expires>2020-01-01T00:00:00Z</Expires></Error>';

/** @type {(times: number, fault: (x: Exchange) => unknown) => (x: Exchange) => boolean} */
const first = (times, fault) => (x) => x.n <= times && (fault(x), true);

/** @type {(fault: (x: Exchange) => unknown) => (x: Exchange) => boolean} */
const suffixOnly = (fault) => (x) => x.isSuffix && (fault(x), true);

/** @type {(x: Exchange, status?: number) => true} sends the headers of an honest answer and half of its body */
function half({ response, headers, range, size }, status = 206) {
  const [begin, end] = range ?? [0, size];
  response.writeHead(status, {
    ...headers,
    ...(status === 206 ? { 'Content-Range': `bytes ${begin}-${end - 1}/${size}` } : {}),
    'Content-Length': end - begin,
  });
  response.write(bytesAt(begin, (begin + end) >> 1));
  return true;
}

/** @type {(x: Exchange, status?: number) => void} */
const cut = (x, status) => {
  half(x, status);
  setTimeout(() => x.request.socket.destroy(), 30);
};

/** @type {(x: Exchange, each: number) => true} */
const trickle = ({ response, headers, range, size }, each) => {
  const [begin, end] = range ?? [0, size];
  const about = { 'Content-Range': `bytes ${begin}-${end - 1}/${size}`, 'Content-Length': end - begin };
  response.writeHead(206, { ...headers, ...about });
  let at = begin;
  const timer = setInterval(() => {
    if (response.destroyed || at >= end) return void (clearInterval(timer), response.end());
    response.write(bytesAt(at, (at = Math.min(end, at + each))));
  }, 20);
  return true;
};

/** @type {(x: Exchange) => true} */
const whole = (x) => x.send(200, {}, bytesAt(0, x.size));

/** @type {Record<string, (x: Exchange) => unknown>} */
const faults = {
  honest: () => false,
  whole: whole,
  'whole-unannounced': ({ response, headers, size }) => {
    response.writeHead(200, headers).write(bytesAt(0, size >> 1));
    return response.end(bytesAt(size >> 1, size));
  },
  'whole-gzip': (x) => ((x.headers['Content-Encoding'] = 'identity'), whole(x)),
  'whole-cut-once': (x) => (x.n === 2 ? (cut(x, 200), true) : whole(x)),
  endless: ({ response, headers }) => {
    response.writeHead(200, headers);
    const more = () => {
      while (!response.destroyed && response.write(bytesAt(0, 65536)));
    };
    response.on('drain', more);
    more();
    return true;
  },
  // A range, which is called the whole file by its status alone.
  '200-range': (x) => x.partial({ status: 200 }),
  '200-another-range': (x) => x.partial({ status: 200, begin: (x.range?.[0] ?? 0) + 1 }),
  '200-unknown-range': (x) => x.partial({ status: 200, total: '*' }),
  '200-range-of-all': (x) => x.partial({ status: 200, begin: 0, end: x.size }),
  'whole-later': (x) => x.n > 1 && whole(x),
  'whole-later-changed': (x) => x.n > 1 && ((x.headers.ETag = '"two"'), whole(x)),

  short: (x) => x.partial({ end: Math.min(x.range?.[1] ?? 0, (x.range?.[0] ?? 0) + 100_000) }),
  crumbs: (x) => x.partial({ end: (x.range?.[0] ?? 0) + 1 }),
  shifted: (x) => x.partial({ begin: (x.range?.[0] ?? 0) + 1 }),
  wider: (x) => x.partial({ end: (x.range?.[1] ?? 0) + 1 }),
  fewer: (x) => x.partial({ body: bytesAt(x.range?.[0] ?? 0, (x.range?.[1] ?? 0) - 10), length: false }),
  'fewer-once': first(1, (x) => faults.fewer?.(x)),
  more: (x) => x.partial({ body: bytesAt(x.range?.[0] ?? 0, (x.range?.[1] ?? 0) + 10), length: false }),
  'no-content-range': (x) => x.send(206, {}, bytesAt(...(x.range ?? [0, 0]))),
  'unknown-total': (x) => Number(x.range?.[0]) < x.size && x.partial({ total: '*' }),
  'unknown-total-capped': (x) =>
    Number(x.range?.[0]) < x.size &&
    x.partial({ total: '*', end: Math.min(x.range?.[1] ?? 0, Number(x.range?.[0]) + 200_000) }),
  'unknown-total-endless': (x) => {
    const [begin] = x.range ?? [0];
    return x.partial({ total: '*', end: Math.min(begin + 70_000, Math.max(begin + 1, x.range?.[1] ?? 0)) });
  },
  'unknown-total-416': (x) =>
    x.range && (x.range[0] < x.size ? x.partial({ total: '*' }) : x.send(416, { 'Content-Range': 'bytes */7' })),
  'small-total': (x) => x.partial({ total: (x.range?.[1] ?? 0) - 1 }),
  backwards: (x) => x.send(206, { 'Content-Range': `bytes 9-3/${x.size}` }, bytesAt(0, 10)),
  'total-changes': (x) => x.n > 1 && x.partial({ total: x.size + 1 }),
  multipart: (x) => x.send(206, { 'Content-Type': 'multipart/byteranges; boundary=b' }, '--b\r\n\r\n\r\n--b--'),
  encoded: (x) => ((x.headers['Content-Encoding'] = 'br'), x.partial()),
  identity: (x) => void (x.headers['Content-Encoding'] = 'identity'),

  'etag-changes': (x) => void (x.headers.ETag = x.n > 1 ? '"two"' : '"one"'),
  'etag-weakens': (x) => void (x.headers.ETag = x.n > 1 ? 'W/"one"' : '"one"'),
  'etag-weak': (x) => void (x.headers.ETag = 'W/"one"'),
  'etag-weak-changes': (x) => void (x.headers.ETag = x.n > 1 ? 'W/"two"' : 'W/"one"'),
  'etag-weak-date-changes': (x) => void ((x.headers.ETag = 'W/"one"'), (x.headers['Last-Modified'] = date(x.n))),
  'etag-of-edges': (x) => void ((x.headers.ETag = `"${x.n}"`), (x.headers['Last-Modified'] = date(1))),
  'etag-and-date-of-edges': (x) => void ((x.headers.ETag = `"${x.n}"`), (x.headers['Last-Modified'] = date(x.n))),
  'etag-strong-date-changes': (x) => void (x.headers['Last-Modified'] = date(x.n)),
  'date-changes': (x) => void (delete x.headers.ETag, (x.headers['Last-Modified'] = date(x.n))),
  'date-refused': (x) => refuseDates(x, 1),
  'date-refused-changes': (x) => refuseDates(x, x.n),
  date: (x) => void (delete x.headers.ETag, (x.headers['Last-Modified'] = date(1))),
  'nothing-to-compare': (x) => void delete x.headers.ETag,
  'etag-later': (x) => void (x.n === 1 && delete x.headers.ETag, x.n === 3 && (x.headers.ETag = '"two"')),

  416: (x) => x.send(416),
  '416-later': (x) => x.n > 1 && x.send(416, { 'Content-Range': `bytes */${x.size}` }),
  '416-silent': (x) => Number(x.range?.[0]) >= x.size && x.send(416),
  '416-shrunk': (x) => x.n > 1 && x.send(416, { 'Content-Range': 'bytes */10' }),
  400: (x) => x.send(400, {}, 'no'),
  401: (x) => x.send(401, { 'WWW-Authenticate': 'Bearer' }),
  403: (x) => x.send(403, {}, 'go away'),
  '403-expired': (x) => x.send(403, { 'Content-Type': 'application/xml' }, expired),
  '403-expired-later': (x) => x.n > 1 && x.send(403, { 'Content-Type': 'application/xml' }, expired),
  '403-endless': (x) => (half(x), true) && x.n < 0,
  404: (x) => x.send(404, {}, 'nothing'),
  500: (x) => x.send(500),
  501: (x) => x.send(501),
  204: (x) => x.send(204),
  '500-twice': first(2, (x) => x.send(x.n === 1 ? 500 : 503)),
  '429-seconds': first(1, (x) => x.send(429, { 'Retry-After': '7' })),
  '429-date': first(1, (x) => x.send(429, { 'Retry-After': new Date(Date.now() + 20_000).toUTCString() })),
  '503-hour': first(1, (x) => x.send(503, { 'Retry-After': '3600' })),

  stall: () => true,
  'stall-once': first(1, () => {}),
  'stall-body': half,
  'stall-body-once': first(1, half),
  reset: (x) => (x.request.socket.destroy(), true),
  'reset-once': first(1, (x) => x.request.socket.destroy()),
  cut: (x) => (cut(x), true),
  'cut-once': first(1, cut),
  slow: ({ response, headers, range, size }) => {
    const [begin, end] = range ?? [0, size];
    response.writeHead(206, {
      ...headers,
      'Content-Range': `bytes ${begin}-${end - 1}/${size}`,
      'Content-Length': end - begin,
    });
    let at = begin;
    const timer = setInterval(() => {
      if (response.destroyed || at >= end) return void (clearInterval(timer), response.end());
      response.write(bytesAt(at, (at = Math.min(end, at + Math.ceil((end - begin) / 16)))));
    }, 250);
    return true;
  },

  // A byte, or as many as `each` says, every 20 ms.
  trickle: (x) => trickle(x, Number(x.url.searchParams.get('each') ?? 1)),
  'trickle-twice': (x) => x.n < 3 && trickle(x, 1),

  redirect: (x) => x.send(302, { Location: x.url.pathname.replace('redirect', 'honest') + x.url.search }),
  'redirect-away': (x) => x.send(307, { Location: `${x.url.searchParams.get('to')}/-/lie/honest${x.url.search}` }),
  // As large models are given: a redirect on the same origin, and one to another, which is signed for `uses` requests.
  moved: (x) => x.send(307, { Location: `/-/lie/moved-on${x.url.search}` }),
  'moved-on': (x) => x.send(302, { Location: `${x.url.searchParams.get('to') ?? ''}/-/lie/moved-here${signed(x)}` }),
  'moved-here': (x) => {
    const { uses, signed: at, changes } = Object.fromEntries(x.url.searchParams);
    if (changes === 'etag') x.headers.ETag = `"${at}"`;
    if (uses && x.n > Number(at) + Number(uses)) return x.send(403, { 'Content-Type': 'application/xml' }, expired);
    return changes === 'size' && x.partial({ total: x.size + Number(at) });
  },
  'moved-to': (x) => x.send(302, { Location: x.url.searchParams.get('to') ?? '' }),
  'without-key': (x) => 'x-key' in x.request.headers && x.send(400, {}, 'a key'),
  'redirect-forever': (x) => x.send(302, { Location: x.url.pathname + x.url.search }),

  'suffix-200': suffixOnly(whole),
  'suffix-endless': suffixOnly((x) => faults.endless?.(x)),
  'suffix-416': suffixOnly((x) => x.send(416, { 'Content-Range': `bytes */${x.size}` })),
  'suffix-400': suffixOnly((x) => x.send(400)),
  'suffix-501': suffixOnly((x) => x.send(501)),
  'suffix-403': suffixOnly((x) => x.send(403)),
  'suffix-as-head': suffixOnly((x) => x.partial({ begin: 0, end: x.size - (x.range?.[0] ?? 0) })),
  'suffix-short': suffixOnly((x) => x.partial({ begin: x.size - 10 })),
  'suffix-500-once': first(1, (x) => x.send(500)),

  hidden: (x) => void delete x.headers['Access-Control-Expose-Headers'],
  'no-cors': (x) => {
    for (const name of Object.keys(cors)) delete x.headers[name];
  },
  cacheable: (x) => void (x.headers['Cache-Control'] = 'max-age=600'),
};

/** @param {Exchange} x */
const signed = ({ url, n }) => `?${new URLSearchParams([...url.searchParams, ['signed', String(n)]])}`;

/** @type {(n: number) => string} */
const date = (n) => new Date(Date.UTC(2026, 0, n)).toUTCString();

/** Who refuses a date, even the one of the file. @type {(x: Exchange, day: number) => unknown} */
function refuseDates({ headers, request, send }, day) {
  delete headers.ETag;
  headers['Last-Modified'] = date(day);
  return request.headers['if-unmodified-since'] ? send(412) : undefined;
}

/** How many requests came with a token. @type {Map<string, number>} */
const counts = new Map();

/** @type {(header: string | undefined, size: number) => [number, number] | undefined} */
function parse(header, size) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || !(from || to)) return undefined;
  if (!from) return [Math.max(0, size - Number(to)), size];
  return [Number(from), to ? Math.min(size, Number(to) + 1) : size];
}

/**
 * @param {Request} request
 * @param {Response} response
 * @param {URL} url
 */
export function handle(request, response, url) {
  const fault = faults[decodeURIComponent(url.pathname.replace('/-/lie/', ''))];
  const token = url.searchParams.get('count') ?? '';
  const size = Number(url.searchParams.get('size') ?? FILE_SIZE);
  const range = parse(request.headers.range, size);
  /** @type {Record<string, string | number>} */
  const headers = { ...cors, 'Cache-Control': 'no-store', ETag: '"one"', 'Content-Type': 'application/octet-stream' };
  /** @type {Exchange['send']} */
  const send = (status, more = {}, body = '') => {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), ...more }).end(body);
    return true;
  };
  /** @type {Exchange['partial']} */
  const partial = (change = {}) => {
    const {
      begin = range?.[0] ?? 0,
      end = range?.[1] ?? size,
      total = size,
      body,
      length = true,
      status = 206,
    } = change;
    const bytes = body ?? bytesAt(begin, end);
    response.writeHead(status, {
      ...headers,
      'Content-Range': `bytes ${begin}-${end - 1}/${total}`,
      ...(length ? { 'Content-Length': bytes.length } : {}),
    });
    if (length) response.end(bytes);
    else response.write(bytes, () => response.end());
    return true;
  };
  if (request.method === 'OPTIONS') return send(204);
  const n = (counts.get(token) ?? 0) + 1;
  counts.set(token, n);
  if (!fault) return send(404, {}, 'no such fault');
  if (request.method !== 'GET') return send(405, { Allow: 'GET' });
  const isSuffix = /=-/.test(request.headers.range ?? '');
  if (fault({ request, response, url, n, size, isSuffix, range, headers, send, partial })) return undefined;
  if (!range) return send(200, {}, bytesAt(0, size));
  if (range[0] >= range[1]) return send(416, { 'Content-Range': `bytes */${size}` });
  return partial();
}
