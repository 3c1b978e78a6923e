/** Thousands of files, opened and closed, leave memory as it was: three, or ten with CPB_TEST_ALL. */
// alone: it measures memory, which is collected later when others compute
import { existsSync } from 'node:fs';
import { node, resident, workerd } from './memory/hosts.js';
import { assert, base, test } from './support/test.js';

const MiB = 2 ** 20;
const small = `${base}/tests/data/cpb/real_keras_export/max3000_zstd.cpb`;
const skip = !existsSync('/proc/self/clear_refs') && 'only Linux tells what a process holds';

const FILES = process.env.CPB_TEST_ALL ? 10_000 : 3000;

/** Of 15 files two are more than are kept; see work.js. */
const NEW = 2 / 15;

/**
 * FILES cycles; the answers after the first 1,000 and at the end, and the process then.
 *
 * @param {import('./memory/hosts.js').Host} host
 * @param {number} atOnce so many in one question
 */
async function run({ pid, ask, stop }, atOnce) {
  let instances = 0;
  const after = async (/** @type {number} */ count) => {
    let answer;
    for (let done = 0; done < count; done += atOnce) {
      answer = await ask('cycles', small, atOnce);
      instances += answer.instances;
    }
    return { ...answer, process: resident(pid) };
  };
  try {
    const first = await after(1000);
    const last = await after(FILES - 1000);
    const grown = last.process - first.process;
    console.log(`# ${first.process / MiB} MiB, then ${last.process / MiB} MiB`, first, last);
    assert.ok(instances < FILES * NEW * 1.1, `${instances} instances`);
    return { first, last, grown };
  } finally {
    await stop();
  }
}

test('node: thousands of files leave the heap and the process flat', { skip }, async () => {
  const { first, last, grown } = await run(await node(), 1000);
  const held = last.collected - first.collected;
  assert.ok(held < 2 * MiB, `the heap holds ${held} bytes more`);
  assert.ok(grown < 32 * MiB, `the process grew by ${grown} bytes`);
});

// What a request made, workerd may hold until its end: so a request is not all of them.
test('workerd: thousands of files leave the isolate and the process flat', { skip }, async () => {
  const { first, last, grown } = await run(await workerd(), 250);
  for (const { isolate, wasm } of [first, last]) {
    assert.ok(isolate + wasm < 128 * MiB, `isolate ${isolate}, WebAssembly ${wasm} bytes`);
  }
  assert.ok(grown < 72 * MiB, `the process grew by ${grown} bytes`);
});
