/**
 * The test server of the JavaScript package (../../web/test/runtimes/server.js), with these answers more:
 *
 *   /-/see/NAME?count=TOKEN   a file of 300,000 bytes, at any name; what headers came is kept
 *   /-/seen/TOKEN             those headers, one object a request, with how many were under way
 *   /-/move/URL?count=TOKEN   a redirect to a URL, which is escaped; what headers came is kept
 *   /-/below/PATH             the file below the folder that the environment's CPB_BELOW names, or 403
 *   /-/model/PATH             the same, or 404
 *   /-/far/PATH               the same, after 50 ms
 *   /-/alone/PATH             the same, but 503 while another request with its token is under way
 *   /-/slow/PATH              the same, a byte in 100 ms
 *   /-/header/line            a header of one line that does not end
 *   /-/header/lines           a header of lines that do not end
 *
 * Prints the two origins, and with CERTIFICATE and KEY in the environment (names of files) a
 * third, of https. Ends when its input does.
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { startServer } from '../../web/test/runtimes/server.js';
import { FILE_SIZE, bytesAt } from '../../web/test/support/lies.js';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

/** @type {Map<string, object[]>} */
const seen = new Map();

/** Requests under way, by token. @type {Map<string, number>} */
const running = new Map();

/** @type {(request: Request, response: Response, url: URL) => void} */
function note(request, response, url) {
  const token = url.searchParams.get('count') ?? '';
  const count = (running.get(token) ?? 0) + 1;
  running.set(token, count);
  response.on('close', () => running.set(token, (running.get(token) ?? 0) - 1));
  seen.set(token, [...(seen.get(token) ?? []), { url: request.url, running: count, ...request.headers }]);
}

/** @type {(response: Response, range: string | undefined, size: number, etag: string, read: (begin: number, end: number) => Promise<Uint8Array>) => Promise<void>} */
async function answer(response, range, size, etag, read) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  const begin = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(size, Number(to) + 1) : size;
  const headers = { 'Content-Range': `bytes ${begin}-${end - 1}/${size}`, ETag: etag };
  if (begin >= end) return void response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end();
  response.writeHead(206, { ...headers, 'Content-Length': end - begin }).end(await read(begin, end));
}

/** @type {(request: Request, response: Response, url: URL) => Promise<void>} */
async function see(request, response, url) {
  note(request, response, url);
  const etag = url.searchParams.get('etag') ?? '"seen"';
  response.setHeader('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT');
  await answer(response, request.headers.range, FILE_SIZE, etag, async (begin, end) => bytesAt(begin, end));
}

/** @type {(request: Request, response: Response, url: URL) => void} */
function move(request, response, url) {
  note(request, response, url);
  response.writeHead(302, { Location: decodeURIComponent(url.pathname.slice('/-/move/'.length)) }).end('elsewhere');
}

/** @type {(prefix: string, otherwise: number, delay?: number) => (request: Request, response: Response, url: URL) => Promise<void>} */
const below =
  (prefix, otherwise, delay = 0) =>
  async (request, response, url) => {
    note(request, response, url);
    if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
    const name = join(process.env.CPB_BELOW ?? '', decodeURIComponent(url.pathname.slice(prefix.length)));
    const file = await open(name).catch(() => undefined);
    const size = (await file?.stat())?.size;
    if (!file || size === undefined || url.pathname.endsWith('/')) return void response.writeHead(otherwise).end();
    await answer(response, request.headers.range, size, `"${size}"`, async (begin, end) => {
      const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
      return buffer;
    });
    await file.close();
  };

/** @type {(request: Request, response: Response, url: URL) => Promise<void>} */
async function alone(request, response, url) {
  const busy = running.get(url.searchParams.get('count') ?? '') ?? 0;
  if (busy === 0) return below('/-/alone/', 404, 50)(request, response, url);
  note(request, response, url);
  response.writeHead(503).end();
}

/** @type {(request: Request, response: Response) => void} */
function slow(request, response) {
  response.writeHead(206, { 'Content-Range': 'bytes 0-65535/65536', 'Content-Length': 65536 });
  const timer = setInterval(() => response.destroyed || response.write('x'), 100);
  request.on('close', () => clearInterval(timer));
}

/** @type {(request: Request, response: Response) => void} */
function endlessHeader(request, response) {
  const socket = /** @type {import('node:net').Socket} */ (response.socket);
  const line = request.url?.startsWith('/-/header/lines');
  const piece = line ? `X-More: ${'x'.repeat(1000)}\r\n`.repeat(16) : 'x'.repeat(16384);
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) continue;
  };
  socket.on('drain', more).on('error', () => {});
  socket.write('HTTP/1.1 206 Partial Content\r\nX-First: ');
  if (line) socket.write('line\r\n');
  more();
}

const handlers = {
  '/-/see/': see,
  '/-/seen/': (/** @type {Request} */ _, /** @type {Response} */ response, /** @type {URL} */ url) =>
    response.end(JSON.stringify(seen.get(url.pathname.slice('/-/seen/'.length)) ?? [])),
  '/-/move/': move,
  '/-/below/': below('/-/below/', 403),
  '/-/model/': below('/-/model/', 404),
  '/-/far/': below('/-/far/', 404, 50),
  '/-/alone/': alone,
  '/-/slow/': slow,
  '/-/header/': endlessHeader,
};

/** @type {(certificate: string, key: string) => Promise<string>} */
async function secure(certificate, key) {
  const files = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(files, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://localhost');
    if (url.pathname.startsWith('/-/move/')) return move(request, response, url);
    return see(request, response, url);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return `https://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
}

const { base, other } = await startServer({ handlers });
const { CERTIFICATE, KEY } = process.env;
console.log([base, other, ...(CERTIFICATE && KEY ? [await secure(CERTIFICATE, KEY)] : [])].join(' '));
process.stdin.resume().on('end', () => process.exit());
