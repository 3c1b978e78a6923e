/** What computes statistics and real values for the page. */
import { readFileSync } from 'node:fs';
import { createInstance } from '../../src/wasm/instance.js';
import { numbersIn } from '../../src/inspect/numbers.js';

const folder = process.env.CPB_WASM ?? new URL('../../../build/web', import.meta.url).pathname;

export const core = async () =>
  numbersIn(await createInstance(await WebAssembly.compile(readFileSync(`${folder}/numbers.wasm`))));
