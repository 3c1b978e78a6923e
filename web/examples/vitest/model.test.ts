/** Tests of a model before it is deployed: MODEL, or saved_model.cpb beside this file. */
import { inspect, open } from 'libcpb';
import { expect, test } from 'vitest';

const file = process.env.MODEL ?? new URL('saved_model.cpb', import.meta.url);

test('it serves what the clients call', async () => {
  using model = await inspect(file, { kind: 'saved_model' });
  const { inputs, outputs } = await model.signature('serving_default');
  expect(inputs).toMatchObject([{ name: 'img', dtype: 'float32', shape: [null, 12, 12, 1] }]);
  expect(outputs.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('every chunk has the bytes that were written', async () => {
  using model = await open(file);
  // A wrong hash is an error.
  for (const chunk of model.chunks()) expect(await chunk.bytes()).toHaveLength(chunk.size);
});
