/** The shared part of the entries that load all their code at once. */
import { setUpParts } from './parts.js';
import * as guessing from './reader/guessing.js';
import * as fields from './reader/paged-fields.js';
import * as reading from './reading.js';
import { layered } from './source/layers.js';
import { otherSource } from './source/other.js';
import * as unusual from './source/unusual.js';
import { urlSource } from './source/url.js';

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
