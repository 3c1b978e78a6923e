/** What the entries have in common that load all their code at once. */
import { setUpUnusual } from './source/exchange.js';
import { setUpInputs, setUpReferences } from './source/index.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as unusual from './source/unusual.js';

/** @param {typeof otherSource} [inputs] what makes sources of inputs that are none */
export function setUpAllParts(inputs = otherSource) {
  setUpInputs(inputs);
  setUpReferences(() => references);
  setUpUnusual(() => unusual);
}
