/** repack(): a .cpb file laid out anew, without merging it. */
import { at } from '../wasm/instance.js';
import { outputOf } from './output.js';
import { pack, packFields, packing, withFile } from './pack.js';
import { structs } from './structs.js';

/** @import { Input } from '../source/index.js' */
/** @import { PackOptions } from './pack.js' */

/**
 * Copies each chunk as it is into another layout or compression.
 *
 * @param {Input} input the .cpb file
 * @param {PackOptions} [options]
 */
const repack = (input, options = {}) =>
  outputOf((how) =>
    withFile(input, options, packing, how, async function* (file) {
      const { instance } = file;
      const { c } = instance;
      const fields = packFields(options, how);
      const index = file.make('cpb_index', (scope) => c.cpb_index_new(0, file.limitsIn(scope)));
      await file.drive(index, { signal: how.signal });
      const chunks = index.call('num_chunks');
      const engine = file.make('cpb_repack', (scope) =>
        at(c, 'cpb_repack_new')(0, scope.struct(structs.repack_options, { ...fields, limits: file.limitsIn(scope) })),
      );
      return { chunks, size: yield* pack(file, engine, how), isSplit: chunks > 1 };
    }),
  );

export { repack };
