// Runs commands one after the other: a command blocks, so it must not run in the page.
import { run } from './cpb.js';

const module = WebAssembly.compileStreaming(fetch(new URL('cpb-cli.wasm', import.meta.url)));

addEventListener('message', async ({ data: { words, files } }) => {
  try {
    postMessage(await run(await module, words, files));
  } catch (error) {
    postMessage({ failed: String(error) });
  }
});
