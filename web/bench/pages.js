/**
 * A server with pages and models behind a slow link, and conditions for a page that shows a model.
 *
 * It answers some time after each request, then at so many Mbit/s in total. It compresses the pages' own files
 * (gzip), as hosts of pages do, but not models.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { slowLink } from './link.js';

/** @typedef {import('node:http').ServerResponse} Response */

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};
/** @type {Map<string, Buffer>} */
const compressed = new Map();

/** A file of a page. @param {string} path */
function packed(path) {
  if (!compressed.has(path)) compressed.set(path, gzipSync(readFileSync(path)));
  return /** @type {Buffer} */ (compressed.get(path));
}

/**
 * @param {ReturnType<typeof slowLink>} link
 * @param {string} path
 * @param {string | undefined} range
 * @param {Response} response
 * @param {(bytes: number) => void} count
 */
async function sendModel(link, path, range, response, count) {
  const file = await openFile(path);
  const { size } = await file.stat();
  const [, first, last] = /bytes=(\d*)-(\d*)/.exec(range ?? 'bytes=0-') ?? [];
  const begin = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(size, Number(last) + 1) : size;
  response.writeHead(range ? 206 : 200, {
    'Content-Length': end - begin,
    ETag: '"1"',
    ...(range ? { 'Content-Range': `bytes ${begin}-${end - 1}/${size}` } : {}),
  });
  await link.stream(
    response,
    async (at, length) => {
      count(length);
      return (await file.read(Buffer.alloc(length), 0, length, at)).buffer;
    },
    begin,
    end,
  );
  await file.close();
}

/** @param {ReturnType<typeof slowLink>} link @param {string} path @param {Response} response */
async function sendPage(link, path, response) {
  const bytes = packed(path);
  response.writeHead(200, {
    'Content-Type': types[extname(path)] ?? 'application/octet-stream',
    'Content-Encoding': 'gzip',
    'Content-Length': bytes.length,
    'Cache-Control': 'max-age=600',
  });
  await link.stream(response, async (at, length) => bytes.subarray(at, at + length), 0, bytes.length);
}

/**
 * @typedef {object} Options
 * @property {number} mbit
 * @property {number} delay milliseconds until an answer begins
 * @property {boolean} [log] tells each request
 * @property {{ inspector: string, netron: string, models: string }} folders
 * @property {(url: URL, response: Response) => boolean} [own] answers what belongs to the bench: not slowly,
 *   and not counted
 */

/** @param {Options} options */
export async function servePages({ mbit, delay, log = false, folders, own = () => false }) {
  const link = slowLink({ mbit });
  let [begun, requests, earlier] = [0, 0, 0];
  let ofModels = { requests: 0, bytes: 0, first: 0 };
  const server = createServer(async (request, response) => {
    const url = new URL(String(request.url), 'http://host');
    if (own(url, response)) return;
    requests++;
    if (log) {
      const asked = performance.now();
      response.on('close', () =>
        console.error(
          `${Math.round(asked - begun)}-${Math.round(performance.now() - begun)} ms ${request.url} ${request.headers.range ?? ''}`,
        ),
      );
    }
    const [, area = '', ...rest] = url.pathname.split('/');
    const path = join(folders[/** @type {'models'} */ (area)] ?? '/none', rest.join('/') || 'index.html');
    await sleep(delay);
    if (!existsSync(path)) return void response.writeHead(404).end();
    if (area !== 'models') return sendPage(link, path, response);
    if (!ofModels.requests++) ofModels.first = (performance.now() - begun - delay) / 1000;
    return sendModel(link, path, request.headers.range, response, (bytes) => void (ofModels.bytes += bytes));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
  return {
    base,
    /** Resets the counts. */
    begin() {
      [begun, requests, earlier] = [performance.now(), 0, link.bytes];
      ofModels = { requests: 0, bytes: 0, first: 0 };
    },
    /** Since then: in all, and of models, with the seconds until the first request of one. */
    get taken() {
      return { requests, bytes: link.bytes - earlier, ofModels };
    },
    /** @param {string} page @param {string} file @param {string} view @param {string} [at] */
    addressOf(page, file, view, at) {
      const url = encodeURIComponent(`${base}/models/${file}`);
      if (page === 'netron') return `${base}/netron/?url=${url}`;
      const panel = view === 'values' ? 'bytes' : view;
      return `${base}/inspector/?url=${url}#panel=${panel}${at ? `&at=${encodeURIComponent(at)}` : ''}`;
    },
  };
}

// --- When it is there ----------------------------------------------------------------

const shadow = (/** @type {string[]} */ ...path) =>
  path.reduce(
    (node, name) => `${node}?.shadowRoot?.querySelector(${JSON.stringify(name)})`,
    "document.querySelector('cpb-inspector')",
  );
/** Expressions in a page's document that are true once the view is complete. */
export const ready = {
  overview: `(${shadow('cpb-overview', '.head')}?.textContent.length ?? 0) > 20`,
  graph: `${shadow('cpb-graph')}?.shadowRoot?.querySelectorAll('svg g').length > 2`,
  // A large array is fetched when its button is pressed.
  values: `(() => {
    const tensor = ${shadow('cpb-bytes', 'cpb-tensor')}?.shadowRoot;
    const button = window.pressed ? undefined : tensor?.querySelector('button');
    if (button) (window.pressed = true), button.click();
    return /Standard deviation/.test(tensor?.textContent);
  })()`,
  netron: `document.querySelectorAll('#canvas .node').length > 0`,
};

/** Netron's message about a file that it cannot open; '' if it can, or is still loading. */
export const refusal = `document.body?.classList.contains('alert') ? document.querySelector('#message-text')?.innerText ?? '' : ''`;
