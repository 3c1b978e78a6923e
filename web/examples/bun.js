/**
 * In Bun: a server that hands out the merged message of a .cpb file, or a range of it,
 * without ever writing or holding it: a loader of .pb files reads it as if it were one.
 *
 *     bun bun.js URL|FILE [PORT]
 */
import { open } from 'libcpb';

const [input, port = '0'] = Bun.argv.slice(2);
const model = await open(input);
const size = await model.messageSize();

/** The first and the last byte of "bytes=A-B", "bytes=A-" or "bytes=-N". */
function rangeOf(header) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from) return [Number(from), Math.min(size - 1, to ? Number(to) : Infinity)];
  return to ? [Math.max(0, size - Number(to)), size - 1] : undefined;
}

const server = Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  fetch(request) {
    const range = rangeOf(request.headers.get('Range'));
    const [first, last] = range ?? [0, size - 1];
    if (first > last) {
      const headers = { 'Content-Range': `bytes */${size}` };
      return new Response(null, { status: 416, headers });
    }
    const length = last - first + 1;
    // Reads no further than the client waits.
    const body = model.merged({ offset: first, length, signal: request.signal });
    return new Response(body, {
      status: range ? 206 : 200,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(length),
        'Accept-Ranges': 'bytes',
        ...(model.etag && { ETag: model.etag }),
        ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
      },
    });
  },
});
console.log(`${size} bytes at ${server.url}`);
