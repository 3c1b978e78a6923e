/** The inspector page, built from the sources, and what lies on its server: for tests in Chromium. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { root } from '../runtimes/files.js';
import { temporary } from '../runtimes/process.js';

/** @type {Record<string, string>} */
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** All text that is shown, that of the elements' shadows too. */
export const text = `(function all(node) {
  let text = '';
  for (const one of node.childNodes) {
    if (one.nodeType === 3) text += one.data;
    else if (one.nodeType === 1 && one.tagName !== 'STYLE') text += ' ' + all(one.shadowRoot ?? one);
  }
  return text;
})(document.body)`;

/** All elements that a selector finds, in whatever shadow they are. @param {string} selector */
export const all = (selector) => `(function find(node) {
  return [...node.querySelectorAll(${JSON.stringify(selector)}),
    ...[...node.querySelectorAll('*')].flatMap((one) => one.shadowRoot ? find(one.shadowRoot) : [])];
})(document)`;

/** The first of them. @param {string} selector */
export const found = (selector) => `${all(selector)}[0]`;

/** The button or box that says so. @param {string} name */
export const button = (name) =>
  `${all('button, [role=button]')}.find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === ${JSON.stringify(name)})`;

/** @param {string} name */
export const click = (name) =>
  `${button(name)}.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))`;

/** Whether words are shown. @param {string} words */
export const says = (words) => `${text}.replace(/\\s+/g, ' ').includes(${JSON.stringify(words)})`;

/** Leads to a place of the page. @param {Record<string, string>} place */
export const go = (place) =>
  `history.pushState(0, '', '#${new URLSearchParams(place)}'); dispatchEvent(new PopStateEvent('popstate'))`;

/** To where the model is compared with itself. */
export const compareItself = `history.pushState(0, '', '#panel=compare&at=' + document.location.search.slice(5));
  dispatchEvent(new PopStateEvent('popstate'))`;

/** Types into the field that finds. @param {string} words */
export const type = (words) =>
  `(() => { const field = ${found('input[type=search]')}; field.value = ${JSON.stringify(words)};
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true })); })()`;

/** Keeps what a page must not do: breaking its Content-Security-Policy, errors. */
export const watching = `window.broken = [];
  addEventListener('securitypolicyviolation', (e) => broken.push(e.violatedDirective + ' ' + e.blockedURI));
  addEventListener('error', (e) => broken.push(e.message));
  addEventListener('unhandledrejection', (e) => broken.push(String(e.reason)));`;

/** @param {string | undefined} header @param {number} size @returns {[number, number] | undefined} */
function rangeOf(header, size) {
  const [, from, to] = /bytes=(\d*)-(\d*)/.exec(header ?? '') ?? [];
  if (to === undefined) return undefined;
  if (!from) return [Math.max(0, size - Number(to)), size];
  return [Number(from), to ? Math.min(size, Number(to) + 1) : size];
}

/**
 * Of a file that exists only where somebody looks.
 *
 * @param {import('./files.js').Sparse} file @param {string} pathname
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response @param {string[]} ranges
 */
async function sendRange({ source }, pathname, { headers }, response, ranges) {
  const { size } = await source.stat();
  const [begin, end] = rangeOf(headers.range, size) ?? [0, size];
  ranges.push(`${pathname} ${begin}+${end - begin}`);
  response.writeHead(206, {
    'Content-Length': end - begin,
    'Content-Range': `bytes ${begin}-${end - 1}/${size}`,
    ETag: '"one"',
  });
  for (let at = begin; at < end && !response.destroyed; at += 65536) {
    const isFull = !response.write(await source.read(at, Math.min(65536, end - at)));
    if (isFull) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  response.end();
}

/** @type {string | undefined} */
let page;

/** The folder of the page: it is built once for all tests of a process, which removes it when it ends. */
function built() {
  if (page) return page;
  const { path, remove } = temporary();
  process.on('exit', remove);
  const dist = join(path, 'dist');
  page = join(path, 'page');
  execFileSync(process.execPath, [`${root}web/scripts/dist.js`, '--sources-only', `${root}build/web`, dist]);
  execFileSync(process.execPath, [`${root}web/inspector/build.js`, '--package', dist, page]);
  return page;
}

/**
 * The page at /, files of tests/data at /models/, those of build/models at /built/.
 *
 * @param {Record<string, Uint8Array | import('./files.js').Sparse>} [files] others, by path; of those whose path has
 *   `/whole/` no ranges are sent, and of those with `/packed/` they are said to be compressed
 */
export async function serve(files = {}) {
  const path = built();
  /** @type {string[]} */
  const log = [];
  /** @type {string[]} */
  const ranges = [];
  /** @type {Map<string, Uint8Array>} */
  const seen = new Map();
  const read = (/** @type {string} */ pathname) => {
    if (!seen.has(pathname)) seen.set(pathname, find(pathname));
    return /** @type {Uint8Array} */ (seen.get(pathname));
  };
  const find = (/** @type {string} */ pathname) => {
    const known = files[pathname];
    if (known) return /** @type {Uint8Array} */ (known);
    if (pathname.startsWith('/models/')) return readFileSync(join(root, 'tests/data', pathname.slice(8)));
    if (pathname.startsWith('/built/')) return readFileSync(join(root, 'build/models', pathname.slice(7)));
    return readFileSync(join(path, pathname === '/' ? 'index.html' : pathname));
  };
  /** @type {Promise<void> | undefined} */
  let held;
  let release = () => {};
  /** @type {RegExp | undefined} */
  let which;
  let [running, atOnce, delay] = [0, 0, 0];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(String(request.url), 'http://host');
    log.push(pathname);
    if (which ? which.test(pathname) : request.headers.range) await held;
    const virtual = files[pathname];
    if (request.headers.range && delay) {
      atOnce = Math.max(atOnce, ++running);
      await new Promise((resolve) => setTimeout(resolve, delay));
      running--;
    }
    try {
      if (virtual && 'source' in virtual) return await sendRange(virtual, pathname, request, response, ranges);
      const bytes = read(pathname);
      const isWhole = pathname.includes('/whole/');
      const range = isWhole ? undefined : rangeOf(request.headers.range, bytes.length);
      ranges.push(`${pathname} ${request.headers.range ?? 'all'}`);
      const [begin, end] = range ?? [0, bytes.length];
      response.writeHead(range ? 206 : 200, {
        'Content-Type':
          types[extname(pathname === '/' ? '.html' : pathname)] ??
          (pathname === '/' ? 'text/html' : 'application/octet-stream'),
        'Content-Length': end - begin,
        ...(range ? { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` } : {}),
        ...(range && pathname.includes('/packed/') ? { 'Content-Encoding': 'gzip' } : {}),
      });
      const half = isWhole && !request.headers.range ? Math.floor(end / 2) : 0;
      if (half) response.write(bytes.subarray(0, half));
      if (half) await held;
      response.end(bytes.subarray(half || begin, end));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const base = `http://127.0.0.1:${port}/`;
  return {
    base,
    log,
    /** Each request's path and range. */
    ranges,
    /** From now on, each range takes so many milliseconds. @param {number} ms */
    slow: (ms) => void (delay = ms),
    /** How many of these waited at once, at most. */
    get atOnce() {
      return atOnce;
    },
    /**
     * Ranges are not answered, and of whole files only one half, until `release`; or what has such a path.
     *
     * @param {RegExp} [path]
     */
    hold(path) {
      which = path;
      held = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
    /** @param {string} model @param {Record<string, string>} [place] */
    address: (model, place = {}) =>
      `${base}?url=${encodeURIComponent(/^\w+:\/\//.test(model) ? model : base + model)}#${new URLSearchParams(place)}`,
    stop: () => (server.close(), server.closeAllConnections()),
  };
}
