/** Every character of a file's name, and of its folder's, stays in the name, in Node, Deno and Bun. */
// runtimes: node, deno, bun
import { createReadStream } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileInput } from '../src/source/file.js';
import { libcpb } from './support/libcpb.js';
import { NAMES, naming, VALUES, valuesIn } from './support/names.js';
import { assert, data, each, runtime, test } from './support/test.js';

const { inspect } = libcpb;
const KERAS = new URL('../../tests/data/cpb/real_tf_keras_functional/', import.meta.url);

/**
 * A folder whose name means something in a URL.
 *
 * @type {(act: (folder: string) => Promise<void>) => () => Promise<void>}
 */
const withFolder = (act) => async () => {
  const above = await mkdtemp(join(tmpdir(), 'cpb-'));
  const folder = join(above, 'a#b?c=%41 ü');
  try {
    await mkdir(folder);
    await act(folder);
  } finally {
    await rm(above, { recursive: true });
  }
};

test(
  'a name that a model gives is that of a file beside it',
  withFolder((folder) =>
    each(
      Object.keys(NAMES),
      (name) => JSON.stringify(name),
      async (name) => {
        const path = join(folder, 'model.onnx');
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), VALUES);
        await writeFile(path, naming(name));
        const inputs = [path, pathToFileURL(path), pathToFileURL(path).href, createReadStream(path)];
        for (const input of inputs) assert.deepEqual(await valuesIn(input), VALUES);
      },
    ),
  ),
);

test(
  'a checkpoint is looked for in the folder of the model',
  withFolder(async (folder) => {
    const path = join(folder, 'saved_model.pb');
    await cp(new URL('orig.pb', KERAS), path);
    await cp(new URL('model/variables', KERAS), join(folder, 'variables'), { recursive: true });
    for (const input of [path, pathToFileURL(path), pathToFileURL(path).href]) {
      const model = await inspect(input, { checkpoint: true });
      assert.ok((await (await model.values('conv2d/kernel', { variable: true })).bytes()).length > 0);
      model.close();
    }
  }),
);

test(
  'what a file is, is said by the end of its name',
  withFolder(async (folder) => {
    const path = join(folder, 'model.onnx?v=1.cpb');
    await writeFile(path, await data('tests/data/cpb/real_keras_export/max3000_none.cpb'));
    const model = await inspect(path);
    assert.equal(model.kind, 'saved_model');
    model.close();
  }),
);

/** Bun decodes names. */
const bytesInNames = runtime !== 'bun';

test(
  'a stream of a file is that file, also where its name looks like a URL or is no text',
  withFolder(async (folder) => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const names = ['file:model.cpb', 'file:///model.cpb'];
      await mkdir('file:');
      const paths = bytesInNames ? [...names, Buffer.from([0x61, 0xff, 0x62])] : names;
      for (const path of paths) {
        await writeFile(path, VALUES);
        const source = fileInput(createReadStream(path), 1); // It is read by ranges, or would be too long.
        assert.deepEqual(await source.read(0, 100), VALUES, String(path));
        await source.close?.();
      }
    } finally {
      process.chdir(before);
    }
  }),
);
