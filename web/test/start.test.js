/** What Node loads for a program that opens a file. */
import { execFileSync } from 'node:child_process';
import { root } from './runtimes/files.js';
import { assert, test } from './support/test.js';

const FILE = `${root}tests/data/cpb/real_keras_export/max3000_none.cpb`;
const FIELD = 'meta_graphs[0].meta_info_def.tensorflow_version';

test('a field of a path is read without streams, threads and clocks, which take Node longer to load', () => {
  const program = `
    const before = new Set(process.moduleLoadList);
    const { open } = await import('${root}web/src/node.js');
    const message = await open('${FILE}');
    if ((await (await message.field('${FIELD}')).bytes()).length === 0) throw new Error('empty');
    console.log(process.moduleLoadList.filter((name) => !before.has(name)).join());`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const large = /^NativeModule (stream|worker_threads|perf_hooks|fs\/promises|crypto|http)$/;
  assert.deepEqual(
    loaded
      .trim()
      .split(',')
      .filter((name) => large.test(name)),
    [],
  );
});
