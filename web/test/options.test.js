/** Options are checked: an error names the option, what it is, and what was expected. */
import { libcpb } from './support/libcpb.js';
import { savedModel } from './support/savedmodels.js';
import { assert, data, each, test } from './support/test.js';

const { inspect, merge, open, openRecords, repack, split, writeRecords } = libcpb;
const CPB = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

/** @param {(options: any) => Promise<unknown>} call @param {[object | null, RegExp][]} wrong */
const told = (call, wrong) =>
  each(
    wrong,
    ([options]) => JSON.stringify(options),
    ([options, message]) => assert.rejects(call(options), { code: 'USAGE', message }),
  );

test('open()', async () => {
  const bytes = await data(CPB);
  await told(
    (options) => open(bytes, options),
    [
      [{ formt: 'pb' }, /^there is no option formt; there are signal, onProgress, type, .*, format,/],
      [{ format: 'zip' }, /^the option format is 'zip'; expected 'cpb', 'pb'$/],
      [{ trustSizes: 'no' }, /^the option trustSizes is 'no'; expected true or false$/],
      [{ signal: {} }, /^the option signal is .*; expected an AbortSignal$/],
      [{ schema: 'x' }, /^the option schema is 'x'; expected a Uint8Array/],
      [
        { limits: { depth: -1 } },
        /^the option limits.depth is -1; expected a whole number from 0 to 2\^53 - 1, or Infinity$/,
      ],
      [{ limits: { depths: 1 } }, /^there is no option limits.depths; there are riegeliChunk,/],
      [{ http: { timeout: 0 } }, /^the option http.timeout is 0; expected a number of milliseconds above 0$/],
      [{ retry: true }, /^the option retry is true; expected false or an object of attempts,/],
      [{ retry: { attempts: 1.5 } }, /^the option retry.attempts is 1.5; /],
      [{ budget: 5 }, /^the option budget is 5; expected an object of requests, bytes$/],
      [null, /^the options are null; expected an object$/],
    ],
  );
  for (const options of [undefined, {}, { type: undefined, cache: false, limits: { depth: 5 } }]) {
    (await open(bytes, options)).close();
  }
});

test('a limit of Infinity is none, in C as here', async () => {
  const bytes = await data(CPB);
  await assert.rejects(open(bytes, { limits: { chunks: 1 } }), { code: 'LIMIT' });
  await assert.rejects(
    open(bytes, { limits: { depth: 1 } }).then((/** @type {any} */ model) => model.messageSize()),
    { code: 'LIMIT' },
  );
  const names = ['riegeliChunk', 'window', 'chunks', 'recordsPerChunk', 'depth', 'memory', 'decoded', 'decodedPerByte'];
  names.push('held', 'heldPerByte', 'walked', 'entries', 'answer', 'index');
  const model = await open(bytes, { limits: Object.fromEntries(names.map((name) => [name, Infinity])) });
  assert.equal((await model.read(0, Infinity)).length, await model.messageSize());
  model.close();
  for (const wrong of [-1, 1.5, NaN, -Infinity]) {
    await assert.rejects(open(bytes, { limits: { walked: wrong } }), { code: 'USAGE' });
  }
});

test('openRecords() and the writers', async () => {
  const bytes = await data(CPB);
  await told(
    (options) => openRecords(bytes, options),
    [
      [{ position: -1 }, /^the option position is -1; /],
      [{ recover: 1 }, /^the option recover is 1; expected true or false$/],
      [{ trustSizes: true }, /^there is no option trustSizes; /],
    ],
  );
  await told(
    (options) => split(bytes, options).bytes(),
    [
      [{ maxChunkSize: -1 }, /^the option maxChunkSize is -1; /],
      [{ codec: { name: 'lz4' } }, /^the option codec.name is 'lz4'; expected 'none', 'brotli', 'zstd', 'snappy'$/],
    ],
  );
  await told(
    (options) => repack(bytes, options).bytes(),
    [
      [{ maxChunkSize: 5 }, /^there is no option maxChunkSize; /],
      [{ riegeliOptions: 3 }, /^the option riegeliOptions is 3; expected a string$/],
      [{ riegeliOptions: 'default', transpose: true }, /says all; expected no option transpose beside it$/],
      [{ riegeliOptions: 'zstd,lz4' }, /^the option riegeliOptions, character 6: .*lz4/],
    ],
  );
  await told(
    (options) => writeRecords([bytes], options).bytes(),
    [
      [{ level: 3 }, /^there is no option level; /],
      [{ bucketFraction: 1.5 }, /^the option bucketFraction is 1.5; expected a number from 0 to 1$/],
      [{ codec: { name: 'zstd', level: 23 } }, /^level is out of range; expected .* zstd -131072 to 22/],
      [{ riegeliOptions: 'snappy', chunkSize: 5 }, /says all; expected no option chunkSize beside it$/],
      [{ riegeliOptions: 'zstd:99' }, /^the option riegeliOptions, character \d+: .*99/],
    ],
  );
  await told((options) => merge(bytes, options).bytes(), [[{ memory: Number.NaN }, /^the option memory is NaN; /]]);
});

test('inspect() and its questions', async () => {
  const bytes = savedModel([['x', 'Placeholder']]);
  await told(
    (options) => inspect(bytes, options),
    [
      [{ kind: 'pytorch' }, /^the option kind is 'pytorch'; expected 'saved_model', /],
      [{ maxValue: '1' }, /^the option maxValue is '1'; /],
    ],
  );
  const model = await inspect(bytes, { kind: 'saved_model' });
  await told(
    (options) => model.functions(options),
    [
      [{ count: Infinity }, /^the option count is Infinity; expected a whole number from 1 to 2\^53 - 1, or 'all'$/],
      [{ count: -1 }, /^the option count is -1; /],
      [{ count: 1.5 }, /^the option count is 1.5; /],
      [{ first: NaN }, /^the option first is NaN; /],
      [{ frist: 1 }, /^there is no option frist; /],
    ],
  );
  const { ops } = await model.ops({ count: 'all' });
  assert.equal(ops.items.length, ops.total);
  await assert.rejects(model.ask(/** @type {any} */ ('toString')), { code: 'USAGE', message: /^there is no question/ });
  await assert.rejects(model.values('x', /** @type {any} */ ({ state: -1 })), { code: 'USAGE' });
  model.close();
});
