/** The entry for Workers, where modules are imported and not compiled. */
// @ts-ignore
import full from './wasm/full-simd.wasm';
// @ts-ignore
import reader from './wasm/reader-simd.wasm';
import { setUp } from './init.js';

setUp((kind) => ({ reader, full })[kind]);

export * from './api.js';
