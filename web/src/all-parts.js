/** The shared parts of the entries that load all their code at once. */
import { CpbError } from './errors.js';
import { setUp } from './init.js';
import { setUpParts } from './parts.js';
import * as guessing from './reader/guessing.js';
import * as fields from './reader/paged-fields.js';
import * as reading from './reading.js';
import { layered } from './source/layers.js';
import { otherSource } from './source/other.js';
import { avoidByteStreams } from './source/streams.js';
import * as unusual from './source/unusual.js';
import { urlSource } from './source/url.js';
import { workAtOnce } from './wasm/turn.js';

/** @param {typeof otherSource} [inputs] makes sources of inputs that are not sources */
export const setUpAllParts = (inputs = otherSource) =>
  setUpParts({
    inputs,
    urls: urlSource,
    layered,
    fields: () => fields,
    guessing: () => guessing,
    reading: () => reading,
    unusual: () => unusual,
  });

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
