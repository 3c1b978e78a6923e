/** Where a test file runs. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runtimes, runtimesOf } from './runtimes/files.js';

test('a file runs where it says, by default or always, or else everywhere, or on Node if it needs that', (t) => {
  const before = process.env.CPB_TEST_ALL;
  t.after(() => void (before === undefined ? delete process.env.CPB_TEST_ALL : (process.env.CPB_TEST_ALL = before)));
  for (const all of ['', '1']) {
    process.env.CPB_TEST_ALL = all;
    assert.deepEqual(runtimesOf('// runtimes: node, bun\n'), ['node', 'bun']);
    assert.deepEqual(runtimesOf('// runtimes by default: node\n'), all ? runtimes : ['node']);
    assert.deepEqual(runtimesOf("import { test } from './support/test.js';\n"), runtimes);
    assert.deepEqual(runtimesOf("import test from 'node:test';\n"), ['node']);
  }
});
