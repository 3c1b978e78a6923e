/**
 * The test server: the repository's files, with ranges, on two origins.
 *
 *   GET /<path>            a file of the repository; ranges, ETag, CORS
 *   ?count=TOKEN           counts the request under this token, unless it is a preflight
 *   GET /-/count/TOKEN     {requests, bytes, log: [{method, url, range, status, bytes}]}
 *   PUT /-/kept/<path>     keeps the body, to be read with ranges by the same path; GET .../log names
 *                          what was read below a folder
 *   /-/lie/...             the answers of ../support/server.js
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** @type {Record<string, string>} */
const types = {
  '.js': 'text/javascript',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
  'Access-Control-Expose-Headers': 'Content-Range, Content-Length, ETag, Accept-Ranges, Last-Modified',
  'Access-Control-Max-Age': '600',
};

/**
 * @param {string | undefined} header
 * @param {number} size
 * @returns {[number, number] | 'bad' | undefined} begin and end (exclusive)
 */
function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (!match[1] && !match[2])) return undefined;
  if (!match[1]) return size > 0 && Number(match[2]) > 0 ? [Math.max(0, size - Number(match[2])), size] : 'bad';
  const begin = Number(match[1]);
  const end = match[2] ? Math.min(size, Number(match[2]) + 1) : size;
  return begin < end && begin < size ? [begin, end] : 'bad';
}

/**
 * @param {Request} request
 * @param {Response} response
 * @param {URL} url
 */
async function serveFile(request, response, url) {
  const path = join(root, normalize(decodeURIComponent(url.pathname)));
  const info = await stat(path).catch(() => undefined);
  if (!path.startsWith(root) || !info?.isFile()) return response.writeHead(404, cors).end();
  const range = parseRange(request.headers.range, info.size);
  const headers = {
    ...cors,
    'Content-Type': types[extname(path)] ?? 'application/octet-stream',
    'Cache-Control': 'no-cache',
    'Accept-Ranges': 'bytes',
    ETag: `"${info.size.toString(16)}-${Math.floor(info.mtimeMs).toString(16)}"`,
  };
  if (range === 'bad') return response.writeHead(416, { ...headers, 'Content-Range': `bytes */${info.size}` }).end();
  const [begin, end] = range ?? [0, info.size];
  const partial = range ? { 'Content-Range': `bytes ${begin}-${end - 1}/${info.size}` } : {};
  response.writeHead(range ? 206 : 200, { ...headers, ...partial, 'Content-Length': end - begin });
  if (request.method === 'HEAD' || end === begin) return response.end();
  createReadStream(path, { start: begin, end: end - 1 })
    .on('error', () => response.destroy())
    .pipe(response);
}

/** Requests by token. */
function counter() {
  /** @type {Map<string, object[]>} */
  const logs = new Map();
  return {
    /** @type {(token: string, request: any, response: any) => void} */
    watch(token, request, response) {
      const { method, url, headers } = request;
      const entry = { method, url, range: headers.range ?? null, status: 0, bytes: 0 };
      logs.set(token, [...(logs.get(token) ?? []), entry]);
      const { write, end } = response;
      const add = (/** @type {any} */ chunk) => {
        entry.status = response.statusCode;
        entry.bytes += chunk && typeof chunk !== 'function' ? Buffer.byteLength(chunk) : 0;
      };
      response.write = (/** @type {any[]} */ ...args) => {
        add(args[0]);
        return write.apply(response, args);
      };
      response.end = (/** @type {any[]} */ ...args) => {
        add(args[0]);
        return end.apply(response, args);
      };
    },
    /** @type {(token: string) => object} */
    report(token) {
      const log = /** @type {any[]} */ (logs.get(token) ?? []);
      return { requests: log.length, bytes: log.reduce((sum, entry) => sum + entry.bytes, 0), log };
    },
  };
}

/** What tests put there, and which of it was read. @returns {Handler} */
function keeper() {
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  /** @type {string[]} */
  const log = [];
  return async (request, response, { pathname }) => {
    if (request.method === 'PUT') {
      files.set(pathname, await buffer(request));
      return response.writeHead(204, cors).end();
    }
    if (pathname.endsWith('/log')) {
      const below = log.filter((path) => path.startsWith(pathname.slice(0, -3)));
      return response.writeHead(200, { ...cors, 'Content-Type': types['.json'] }).end(JSON.stringify(below));
    }
    log.push(pathname);
    const bytes = files.get(pathname);
    if (!bytes) return response.writeHead(404, cors).end();
    const range = parseRange(request.headers.range, bytes.length);
    if (range === 'bad') return response.writeHead(416, cors).end();
    const [begin, end] = range ?? [0, bytes.length];
    const partial = range ? { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` } : {};
    return response
      .writeHead(range ? 206 : 200, { ...cors, ...partial, 'Content-Length': end - begin })
      .end(bytes.subarray(begin, end));
  };
}

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {(request: Request, response: Response, url: URL) => unknown} Handler
 */

/** The lying answers, once they are there. @type {() => Promise<Handler | undefined>} */
async function liar() {
  const path = '../support/server.js';
  const found = await stat(new URL(path, import.meta.url)).catch(() => undefined);
  return found ? (await import(path)).handle : undefined;
}

/**
 * @param {{background?: boolean, handlers?: Record<string, Handler>}} [options] `background`
 *   does not keep the process alive; `handlers` by the first part of the path
 * @returns {Promise<{base: string, other: string, close: () => void}>}
 */
export async function startServer({ background = false, handlers = {} } = {}) {
  const counts = counter();
  const lie = await liar();
  /** @type {Record<string, Handler>} */
  const all = {
    '/-/count/': (_, response, url) =>
      response
        .writeHead(200, {
          ...cors,
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
        })
        .end(JSON.stringify(counts.report(url.pathname.slice(9)))),
    '/-/kept/': keeper(),
    ...(lie ? { '/-/lie/': lie } : {}),
    ...handlers,
  };
  /** @type {(request: Request, response: Response) => Promise<unknown>} */
  const listener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const token = url.searchParams.get('count');
    if (token && request.method !== 'OPTIONS') counts.watch(token, request, response);
    const handler = Object.entries(all).find(([prefix]) => url.pathname.startsWith(prefix))?.[1];
    if (handler) return handler(request, response, url);
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    return serveFile(request, response, url);
  };
  const both = await Promise.all([listen(listener, background), listen(listener, background)]);
  const [base, other] = both.map(({ port }) => `http://127.0.0.1:${port}`);
  return {
    base: String(base),
    other: String(other),
    close: () => both.forEach(({ server }) => (server.close(), server.closeAllConnections())),
  };
}

/**
 * @param {(request: Request, response: Response) => unknown} listener
 * @param {boolean} background
 */
async function listen(listener, background) {
  const server = createServer(listener);
  // A runtime that was busy for long may use a connection as it is closed.
  server.keepAliveTimeout = 0;
  if (background) server.unref().on('connection', (socket) => socket.unref());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return { server, port: /** @type {any} */ (server.address()).port };
}
