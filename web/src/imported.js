/** The shared part of the entries whose module is imported in compiled form. */
import { setUpAllParts } from './all-parts.js';
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { avoidByteStreams } from './source/streams.js';
import { workAtOnce } from './wasm/turn.js';

/** @param {WebAssembly.Module} reader @param {WebAssembly.Module} dictionary */
export function setUpImported(reader, dictionary) {
  setUp((kind) => {
    if (kind === 'reader') return reader;
    if (kind === 'dictionary') return dictionary;
    throw new CpbError('USAGE', `import ${kind} from 'libcpb/wasm/${kind}.wasm' and call init({ ${kind} }) first`);
  });
  setUpAllParts();
  avoidByteStreams(); // such a runtime passes pieces of 4 KiB
  workAtOnce();
}
