/** What the entries have in common whose module is imported, compiled. */
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { setUpInputs, setUpReferences } from './source/index.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as refusals from './source/refusal.js';
import { setUpRefusals } from './source/resource.js';
import { avoidByteStreams } from './source/streams.js';
import { workAtOnce } from './wasm/turn.js';

/** @param {WebAssembly.Module} reader */
export function setUpImported(reader) {
  setUp((kind) => {
    if (kind === 'reader') return reader;
    throw new CpbError('USAGE', `import ${kind} from 'libcpb/wasm/${kind}.wasm' and call init({ ${kind} }) first`);
  });
  setUpInputs(otherSource);
  setUpReferences(() => references);
  setUpRefusals(() => refusals);
  avoidByteStreams(); // there: 4 KiB
  workAtOnce();
}
