/** A Worker that was started, and the connection to it. */
import { CpbError } from '../errors.js';
import { Connection } from './connection.js';

/**
 * A Worker of the web; one of Node is made to look like it.
 * @typedef {object} WorkerLike
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} [onmessage]
 * @property {((event: any) => void) | null} [onerror]
 * @property {((event: any) => void) | null} [onmessageerror]
 * @property {() => void} terminate
 * @property {() => void} [ref]
 * @property {() => void} [unref]
 */

/**
 * It ends when the worker fails, or by `end`. It refers to no proxy of the worker's objects,
 * which could never be garbage-collected then.
 *
 * @param {WorkerLike} worker
 * @param {() => void} [onEnd]
 */
export function connectWorker(worker, onEnd) {
  const connection = new Connection(worker, {
    busy: (busy) => (busy ? worker.ref : worker.unref)?.call(worker),
  });
  const end = (error = new CpbError('CLOSED', 'the file was closed')) => {
    if (connection.ended) return;
    connection.end(error);
    worker.terminate();
    onEnd?.();
  };
  worker.onerror = worker.onmessageerror = (event) => {
    event?.preventDefault?.();
    end(new CpbError('TRAPPED', `the worker failed: ${event?.message ?? 'unknown why'}`));
  };
  return { connection, end: () => end() };
}
