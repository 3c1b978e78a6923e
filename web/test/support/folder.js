/** A folder on a web server of its own, with ranges. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** @type {Record<string, string>} */
const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };

/**
 * @param {string} folder
 * @param {string} [silent] a path that is never answered
 */
export async function serveFolder(folder, silent) {
  /** @type {string[]} */
  const log = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url).split('?')[0] ?? '');
    log.push(path);
    if (path === silent) return undefined;
    /** @type {Buffer} */
    let bytes;
    try {
      bytes = readFileSync(join(folder, path));
    } catch {
      return response.writeHead(404).end();
    }
    const type = types[String(path.split('.').pop())];
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const headers = { 'Content-Type': type ?? 'application/octet-stream', ETag: '"1"' };
    if (from === undefined) return response.writeHead(200, headers).end(bytes);
    const begin = from ? Number(from) : Math.max(0, bytes.length - Number(to));
    const end = from && to ? Math.min(bytes.length, Number(to) + 1) : bytes.length;
    const place = { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` };
    return response.writeHead(206, { ...headers, ...place }).end(bytes.subarray(begin, end));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return {
    base: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`,
    /** The paths that were asked for. */
    log,
    close: () => (server.close(), server.closeAllConnections()),
  };
}
