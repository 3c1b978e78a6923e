/** Workers of the page that is one file, and what they need: all of it is in the file. */
import packed from 'inspect.wasm';
import texts from 'worker-texts';

/** @type {Promise<WebAssembly.Module> | undefined} */
let module;

/** The module that reads models. */
export const inspectModule = () => (module ??= WebAssembly.compileStreaming(unpacked()));

function unpacked() {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream, { headers: { 'Content-Type': 'application/wasm' } });
}

/** @param {string} name */
export function startWorker(name) {
  const here = URL.createObjectURL(new Blob([texts[name] ?? ''], { type: 'text/javascript' }));
  const worker = new Worker(here);
  setTimeout(() => URL.revokeObjectURL(here), 60_000);
  return worker;
}
