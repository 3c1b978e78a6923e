/** The entry for Workers, where modules are imported and not compiled. */
// @ts-ignore
import reader from './wasm/reader-simd.wasm';
import { CpbError } from './errors.js';
import { setUp } from './init.js';

setUp((kind) => {
  if (kind === 'reader') return reader;
  throw new CpbError(
    'USAGE',
    "to write, import full from 'libcpb/wasm/full.wasm' and call init({ full }) first",
  );
});

export * from './whole.js';
export { openInWorker } from './worker/workerd.js';
