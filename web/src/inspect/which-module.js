/** Chooses the module that inspects a model: `inspect` for a first look at most kinds; `models` also has the rest. */
import { isZip } from './archive-address.js';

/** @import { Source } from '../types.js' */
/** @import { Instance } from '../wasm/instance.js' */

/** Kinds that only `models` supports. @param {unknown} kind */
export const isOfModels = (kind) => /^(coreml|samediff)/.test(String(kind));

/** Questions that only it answers. @param {string} question */
export const asksModels = (question) => question === 'cut' || question === 'load';

/** @param {Instance} instance */
export const hasModels = ({ c }) => !!c.cpb_diff_new;

/**
 * Judges by the kind or the name; undefined if neither is enough.
 *
 * @param {unknown} kind
 * @param {string} [name] of the file
 */
export function moduleNamed(kind, name = '') {
  if (kind) return isOfModels(kind) ? 'models' : 'inspect';
  if (/\.(zip|sdz|fb|mlmodel)$/i.test(name)) return 'models';
  return /\.(c?pb|onnx)$/i.test(name) ? 'inspect' : undefined;
}

/**
 * Examines data in memory: is it an archive?
 *
 * @param {{ kind?: unknown, signal?: AbortSignal }} options
 * @returns {(source: Source & { local?: boolean }) => Promise<'inspect' | 'models'>}
 */
export const moduleOf =
  ({ kind, signal }) =>
  async (source) => {
    const named = moduleNamed(kind, source.name);
    if (named || !source.local) return named ?? 'inspect';
    return isZip(await source.read(0, 4, { signal })) ? 'models' : 'inspect';
  };
