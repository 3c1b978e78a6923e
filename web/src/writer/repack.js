/** repack(): changes the layout of a .cpb file, without merging it. */
import * as is from '../options.js';
import { feedAtOnce } from '../wasm/fetching.js';
import { at } from '../wasm/instance.js';
import { outputOf } from './output.js';
import { pack, packFields, packing, withFile } from './pack.js';
import { checkAlone, structs, writerOptions } from './riegeli.js';

/** @import { Input } from '../source/index.js' */
/** @import { PackOptions } from './pack.js' */

/**
 * The new layout of a .cpb file.
 * @typedef {object} RepackOwnOptions
 * @property {string} [riegeliOptions] instead of layout, codec and transpose: options of Riegeli's writer,
 *   in its notation, such as 'transpose,zstd:9,chunk_size:4M'
 */
/**
 * How chunks are stored; all options may be left out.
 * @typedef {RepackOwnOptions & PackOptions} RepackOptions
 */

/** @type {is.Known} */
const known = { riegeliOptions: is.text, ...packing };

/**
 * Copies each chunk, unchanged, to another layout or compression.
 *
 * @param {Input} input the .cpb file
 * @param {RepackOptions} [options]
 */
export function repack(input, options = {}) {
  return outputOf((how) =>
    withFile(input, options, known, how, async function* (file) {
      const { instance } = file;
      const { c } = instance;
      const { riegeliOptions: text } = options;
      checkAlone({ ...options }, ['layout', 'codec', 'transpose']);
      const fields = packFields(instance, options, how);
      const index = file.make('cpb_index', (scope) => c.cpb_index_new(0, file.limitsIn(scope)));
      if (how.put) index.feed = feedAtOnce(file.source);
      await file.drive(index, { signal: how.signal });
      const chunks = index.call('num_chunks');
      const engine = file.make('cpb_repack', (scope) =>
        at(c, 'cpb_repack_new')(
          0,
          scope.struct(structs.repack_options, {
            ...fields,
            limits: file.limitsIn(scope),
            riegeli: text === undefined ? 0 : writerOptions(instance, scope, text),
          }),
        ),
      );
      if (how.put) engine.feed = feedAtOnce(file.source);
      return { chunks, size: yield* pack(file, engine, how), isSplit: chunks > 1 };
    }),
  );
}
