/** The model's worker of the page that is one file: the WebAssembly module is in it. */
import { init } from 'libcpb';
import packed from 'inspect.wasm';
import '../model/worker.js';

const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
const stream = new ReadableStream({
  start(controller) {
    controller.enqueue(bytes);
    controller.close();
  },
});
const module = stream.pipeThrough(new DecompressionStream('gzip'));
// What is opened waits for it, and says what is wrong with it.
init({ inspect: new Response(module, { headers: { 'Content-Type': 'application/wasm' } }) }).catch(() => {});
