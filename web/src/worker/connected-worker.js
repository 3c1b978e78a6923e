/** A started Worker, and the connection to it. */
import { CpbError } from '../errors.js';
import { Connection } from './connection.js';

/**
 * A web Worker; one of Node is wrapped to look like it.
 * @typedef {object} WorkerLike
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} [onmessage]
 * @property {((event: any) => void) | null} [onerror]
 * @property {((event: any) => void) | null} [onmessageerror]
 * @property {() => void} terminate
 * @property {string} [file] its script
 * @property {() => void} [ref]
 * @property {() => void} [unref]
 */

/**
 * A web Worker with the script at this place. A script of another origin cannot be started directly, but another one
 * may import it.
 *
 * @param {URL | string} place @returns {WorkerLike}
 */
export function startAt(place) {
  const { href, origin } = new URL(place, globalThis.location?.href);
  if (origin === globalThis.location?.origin)
    return Object.assign(new Worker(href, { type: 'module' }), { file: href });
  const text = `import ${JSON.stringify(href)};`;
  const script = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(script, { type: 'module' });
  setTimeout(() => URL.revokeObjectURL(script), 60_000);
  return Object.assign(worker, { file: href });
}

/**
 * It ends when the worker fails, or with `end`. If a worker fails before it has said anything, its script may be
 * missing. It must not refer to proxies of the worker's objects, which could then never be garbage-collected.
 *
 * @param {WorkerLike} worker @param {() => void} [onEnd]
 */
export function connectWorker(worker, onEnd) {
  const connection = new Connection(worker, {
    busy: (busy) => (busy ? worker.ref : worker.unref)?.call(worker),
  });
  const { onmessage } = worker;
  let isThere = false;
  worker.onmessage = (event) => {
    isThere = true;
    onmessage?.(event);
  };
  const end = (error = new CpbError('CLOSED', 'the file was closed')) => {
    if (connection.ended) return;
    connection.end(error);
    worker.terminate();
    onEnd?.();
  };
  worker.onerror = worker.onmessageerror = (event) => {
    event?.preventDefault?.();
    const why = event?.message ?? 'unknown why';
    end(isThere ? new CpbError('TRAPPED', `the worker failed: ${why}`) : notStarted(worker, why));
  };
  return { connection, end: () => end() };
}

/** @param {WorkerLike} worker @param {string} why */
const notStarted = ({ file = 'host.js, beside the script of libcpb' }, why) =>
  new CpbError(
    'TRAPPED',
    `no worker started from ${file} (${why}); if the file is not there, copy it there from libcpb/worker, or say where it is: init({ worker: url })`,
  );
