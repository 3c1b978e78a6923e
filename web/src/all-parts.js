/** What the entries have in common that load all their code at once. */
import { setUpUnusual } from './source/exchange.js';
import { setUpInputs, setUpLayers, setUpReferences } from './source/index.js';
import { layered } from './source/layers.js';
import { otherSource } from './source/other.js';
import * as references from './source/references.js';
import * as unusual from './source/unusual.js';

/** @param {typeof otherSource} [inputs] what makes sources of inputs that are none */
export function setUpAllParts(inputs = otherSource) {
  setUpInputs(inputs);
  setUpLayers(layered);
  setUpReferences(() => references);
  setUpUnusual(() => unusual);
}
