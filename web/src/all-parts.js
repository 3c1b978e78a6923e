/** What the entries have in common that load all their code at once. */
import * as foreign from './inspect/foreign.js';
import { setUpParts } from './parts.js';
import * as guessing from './reader/guessing.js';
import * as fields from './reader/paged-fields.js';
import * as reading from './reading.js';
import { layered } from './source/layers.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as unusual from './source/unusual.js';
import * as dictionary from './wasm/dictionary.js';

/** @param {typeof otherSource} [inputs] what makes sources of inputs that are none */
export const setUpAllParts = (inputs = otherSource) =>
  setUpParts({
    inputs,
    layered,
    fields: () => fields,
    guessing: () => guessing,
    reading: () => reading,
    foreign: () => foreign,
    references: () => references,
    unusual: () => unusual,
    dictionary: () => dictionary,
  });
