/** A whole file, of a server that does not send parts of files. */
import { CpbError } from 'libcpb';
import { nameOf } from './places.js';

/**
 * Whether a server sends the whole file.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{ url: string, size?: number } | undefined>}
 */
export async function wholeAt(url, signal) {
  const response = await fetch(url, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  void response?.body?.cancel().catch(() => {});
  if (!response?.ok) return undefined;
  const { headers } = response;
  const size = headers.has('content-encoding') ? undefined : Number(headers.get('content-length')) || undefined;
  return { url, size };
}

/**
 * @param {string} url
 * @param {import('./requests.js').Requests} requests
 * @param {AbortSignal} signal
 * @returns {Promise<File>} in memory, or where the browser keeps it
 */
export async function download(url, requests, signal) {
  const response = await fetch(url, { signal }).catch((cause) => {
    signal.throwIfAborted();
    throw new CpbError('NETWORK', `${url}: ${cause.message}`, { cause, retryable: true });
  });
  if (!response.ok) throw new CpbError('HTTP', `${url} answered ${response.status}`, { status: response.status });
  const total = Number(response.headers.get('content-length') ?? 0);
  const request = requests.begin({ offset: 0, length: total });
  /** @type {BlobPart[]} */
  const pieces = [];
  let done = 0;
  try {
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
    for (;;) {
      const piece = await reader.read();
      if (piece.done) break;
      pieces.push(piece.value);
      request.got(piece.value.length);
      done += piece.value.length;
      if (total) requests.work({ done, total });
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new CpbError('NETWORK', `${url} broke off after ${done} bytes`, { cause, retryable: true });
  } finally {
    request.end();
    requests.work();
  }
  return new File(pieces, nameOf(new URL(url)));
}
