/** What the entries have in common whose module is imported, compiled. */
import { setUpAllParts } from './all-parts.js';
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { avoidByteStreams } from './source/streams.js';
import { workAtOnce } from './wasm/turn.js';

/** @param {WebAssembly.Module} reader */
export function setUpImported(reader) {
  setUp((kind) => {
    if (kind === 'reader') return reader;
    throw new CpbError('USAGE', `import ${kind} from 'libcpb/wasm/${kind}.wasm' and call init({ ${kind} }) first`);
  });
  setUpAllParts();
  avoidByteStreams(); // there: 4 KiB
  workAtOnce();
}
