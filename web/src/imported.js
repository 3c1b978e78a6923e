/** What the entries have in common whose module is imported, compiled. */
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { setUpUnusual } from './source/exchange.js';
import { setUpInputs, setUpReferences } from './source/index.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as unusual from './source/unusual.js';
import { avoidByteStreams } from './source/streams.js';
import { workAtOnce } from './wasm/turn.js';

/** @param {WebAssembly.Module} reader @param {WebAssembly.Module} dictionary */
export function setUpImported(reader, dictionary) {
  setUp((kind) => {
    if (kind === 'reader') return reader;
    if (kind === 'dictionary') return dictionary;
    throw new CpbError('USAGE', `import ${kind} from 'libcpb/wasm/${kind}.wasm' and call init({ ${kind} }) first`);
  });
  setUpInputs(otherSource);
  setUpReferences(() => references);
  setUpUnusual(() => unusual);
  avoidByteStreams(); // there: 4 KiB
  workAtOnce();
}
