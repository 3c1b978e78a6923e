/** Workers of the page that is one file, and what they need: all of it is in the file. */
import dictionary from 'dictionary.wasm';
import models from 'models.wasm';
import numbers from 'numbers.wasm';
import texts from 'worker-texts';

const all = { models, numbers, dictionary };

/** @type {Promise<{ [Name in keyof typeof all]: WebAssembly.Module }> | undefined} */
let compiled;

/** The modules that read models. */
export const modules = () => (compiled ??= compileAll());

async function compileAll() {
  const compile = async (/** @type {[string, string]} */ [name, packed]) => [
    name,
    await WebAssembly.compileStreaming(unpacked(packed)),
  ];
  return Object.fromEntries(await Promise.all(Object.entries(all).map(compile)));
}

/** @param {string} packed */
function unpacked(packed) {
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
