/** The entry for Workers, where modules are imported and not compiled. */
// @ts-ignore
import reader from './wasm/reader-simd.wasm';
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { setUpInputs } from './source/index.js';
import { otherSource } from './source/other.js';
import { avoidByteStreams } from './source/streams.js';
import { workAtOnce } from './wasm/turn.js';

setUp((kind) => {
  if (kind === 'reader') return reader;
  throw new CpbError('USAGE', `import ${kind} from 'libcpb/wasm/${kind}.wasm' and call init({ ${kind} }) first`);
});
setUpInputs(otherSource);
avoidByteStreams(); // there: 4 KiB
workAtOnce();

export * from './full-api.js';
export { inspectInWorker, openInWorker } from './worker/workerd.js';
