/** The options of Riegeli's writers, in Riegeli's own words. */
import { CpbError } from '../errors.js';
import { at } from '../wasm/instance.js';
import { structs } from './structs.js';

/** @import { Instance, Scope, Values } from '../wasm/instance.js' */

/**
 * A cpb_record_writer_options with `fields`, and the options in the text, if given.
 *
 * @param {Instance} instance
 * @param {Scope} scope
 * @param {string | undefined} text
 * @param {Values} [fields]
 * @returns {number}
 */
export function writerOptions(instance, scope, text, fields) {
  const options = scope.struct(structs.record_writer_options, fields);
  if (text === undefined) return options;
  const error = scope.struct('error');
  if (at(instance.c, 'cpb_record_writer_options_parse')(options, scope.string(text), error) === 0) return options;
  const { code, offset, message } = instance.error(error);
  throw new CpbError(code, `the option riegeliOptions, character ${Number(offset) + 1}: ${message}`, { offset });
}

/**
 * Throws where the text is not alone, as it says all.
 *
 * @param {Record<string, unknown>} options
 * @param {string[]} others
 */
export function checkAlone(options, others) {
  const other = others.find((name) => options[name] !== undefined);
  if (options.riegeliOptions === undefined || other === undefined) return;
  throw new CpbError('USAGE', `the option riegeliOptions says all; expected no option ${other} beside it`);
}
