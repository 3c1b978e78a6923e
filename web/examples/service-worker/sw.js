/**
 * A service worker for models that are stored elsewhere, in chunks. It answers the page's requests for
 *
 *     models/NAME.pb       the merged message, or a range of it
 *     models/NAME/FIELD    a field as JSON, for instance models/x/meta_graphs[0].meta_info_def
 *
 * from NAME.cpb on another server, and fetches only the parts that it needs.
 *
 * `libcpb.js` is the package's dist/inline.js, because service workers have no import().
 */
import { CpbError, open } from './libcpb.js';

const MOST_OPEN = 4;

const { searchParams } = new URL(location.href);
const elsewhere = searchParams.get('models');
const here = new URL('models/', registration.scope).href;

/** Open models by their names, the one asked for last at the end. @type {Map<string, Promise<any>>} */
const models = new Map();

function modelOf(name) {
  const model = models.get(name) ?? open(new URL(`${encodeURIComponent(name)}.cpb`, elsewhere));
  models.delete(name);
  models.set(name, model);
  model.catch(() => models.delete(name)); // the next request tries again
  // Those forgotten close by themselves, once nobody reads them any more.
  if (models.size > MOST_OPEN) models.delete(models.keys().next().value);
  return model;
}

/** The first byte and the one after the last, of "bytes=A-B", "bytes=A-" or "bytes=-N". */
function rangeOf(header, size) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from) return [Number(from), to ? Math.min(size, Number(to) + 1) : size];
  return to ? [Math.max(0, size - Number(to)), size] : undefined;
}

async function message(model, header, signal) {
  const size = await model.messageSize({ signal });
  const range = rangeOf(header, size);
  const [begin, end] = range ?? [0, size];
  const headers = { 'Content-Type': 'application/octet-stream', 'Accept-Ranges': 'bytes' };
  if (begin >= end && range)
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
  headers['Content-Length'] = String(end - begin);
  if (range) headers['Content-Range'] = `bytes ${begin}-${end - 1}/${size}`;
  const body = model.merged({ offset: begin, length: end - begin, signal });
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** HTTP statuses for the page's mistakes; all else is the other server's. */
const statuses = { NOT_FOUND: 404, USAGE: 400, FORMAT: 415 };

async function answer({ url, headers, signal }) {
  const [name, ...field] = url.slice(here.length).split('/').map(decodeURIComponent);
  try {
    if (!field.length && name.endsWith('.pb'))
      return await message(await modelOf(name.slice(0, -3)), headers.get('Range'), signal);
    const model = await modelOf(name);
    // Values over 1 KiB are replaced by their places.
    return Response.json(await (await model.field(field.join('/'), { signal })).json({ omit: 1024, signal }));
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    const { code, message: what, status } = error;
    return Response.json({ code, error: what }, { status: status === 404 ? 404 : (statuses[code] ?? 502) });
  }
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.method === 'GET' && event.request.url.startsWith(here)) event.respondWith(answer(event.request));
});
