/** Checkpoints by themselves, and those beside .meta files, by their paths, in Node, Deno and Bun. */
// runtimes: node, deno, bun
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libcpb } from './support/libcpb.js';
import { root } from './runtimes/files.js';
import { assert, test } from './support/test.js';

const { diff, inspect } = libcpb;
const cases = `${root}tests/data/cases/`;
const key = 'a/.ATTRIBUTES/VARIABLE_VALUE';

/** @param {any} model @param {string} name @param {object} [how] */
async function floats(model, name, how) {
  const { buffer } = await (await model.values(name, how)).bytes();
  return [...new Float32Array(buffer)];
}

test('the data files of an index are found beside it', async () => {
  const model = await inspect(`${cases}tf2/ck-1.index`);
  assert.equal(model.kind, 'checkpoint');
  const { parameters, checkpoint_version: version, problems } = /** @type {any} */ (await model.overview());
  assert.deepEqual([parameters.total, version, problems], [8, 2, []]);
  const { numpy, shape, size } = await model.values(key);
  assert.deepEqual([numpy, shape, size], ['<f8', [2, 3], 48]);
  assert.equal((await model.values('s/.ATTRIBUTES/VARIABLE_VALUE')).numpy, '|S2');
  await assert.rejects(model.values('b'), { code: 'NOT_FOUND' });
  model.close();
});

test('a .meta file has the values of the checkpoint of its name, of either version', async () => {
  for (const path of ['m.ckpt', 'v1/m.ckpt']) {
    const alone = await inspect(cases + (path === 'm.ckpt' ? 'm.ckpt.index' : path));
    const model = await inspect(`${cases}${path}.meta`, { checkpoint: true });
    for (const name of ['softmax_w', 'w2']) {
      const values = await floats(model, name, { variable: true });
      assert.deepEqual(values, await floats(alone, name));
      assert.equal(new Set(values).size > 10, true);
    }
    model.close();
    alone.close();
  }
  await assert.rejects(inspect(`${cases}tied.onnx`, { checkpoint: /** @type {any} */ ({ data: () => undefined }) }), {
    code: 'USAGE',
  });
});

test('without its data files an index still says what there is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-'));
  try {
    const path = join(folder, 'ck-1.index');
    await cp(`${cases}tf2/ck-1.index`, path);
    const model = await inspect(path);
    const { problems, variables } = await model.variables();
    assert.equal(variables.total, 6);
    assert.equal(/object graph/.test(problems[0]?.text ?? ''), true);
    await assert.rejects(model.values(key).then((/** @type {any} */ array) => array.bytes()));
    model.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('two checkpoints are compared, values and all', async () => {
  const same = await diff(`${cases}v1/m.ckpt`, `${cases}v1/m.ckpt`);
  assert.equal(same.equal, true);
  const other = /** @type {any} */ (await diff(`${cases}v1/m.ckpt`, `${cases}m.ckpt.index`));
  const { differences } = other.sections.find((/** @type {any} */ one) => one.section === 'variables');
  assert.equal(differences.length > 0, true);
  assert.deepEqual(
    differences.filter((/** @type {any} */ one) => one.change === 'removed'),
    [],
  );
});
