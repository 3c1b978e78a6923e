// The structs of each structs.js against the compiler's own layouts of include/cpb, which the
// build writes to build/web/layouts.json.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { structs as inspecting } from '../src/inspect/structs.js';
import { structs as parts } from '../src/reader/structs.js';
import { structs as reading } from '../src/wasm/structs.js';
import { structs as writing } from '../src/writer/riegeli.js';

const folder = process.env.CPB_WASM ?? new URL('../../build/web', import.meta.url).pathname;
const layouts = JSON.parse(readFileSync(`${folder}/layouts.json`, 'utf8'));

// A pair is an array, and has no name in C.
const { pair: _, ...structs } = { ...reading, ...parts, ...writing, ...inspecting };

/** What C calls the types of structs.js. @type {Record<string, RegExp>} */
const c = {
  u8: /^(char|u?int8_t|_Bool|bool)$/,
  i32: /^(int|int32_t|cpb_\w+)$/,
  i16: /^int16_t$/,
  u32: /^(unsigned int|uint32_t|cpb_\w+)$/,
  size: /^size_t$/,
  // Of a double: its bits.
  u64: /^(uint64_t|double)$/,
  ptr: /\*/,
  text: /^char\[256\]$/,
  pair: /\*\[2\]$/,
};

/** @param {string} type @param {string} inC */
function sameType(type, inC) {
  const pattern = c[type];
  if (pattern) return pattern.test(inC);
  return inC === type || inC.replace(/^struct /, '') === `cpb_${type}`;
}

test('there is a layout for every struct', () => {
  assert.deepEqual(
    Object.keys(structs).filter((name) => !(name in layouts)),
    [],
  );
});

for (const [name, struct] of Object.entries(structs)) {
  test(`cpb_${name} is laid out as in C`, () => {
    const expected = layouts[name];
    assert.deepEqual([struct.size, struct.align], [expected.size, expected.align]);
    assert.deepEqual(Object.keys(struct.fields), Object.keys(expected.fields));
    for (const [field, { offset, type }] of Object.entries(struct.fields)) {
      const { offset: there, type: inC } = expected.fields[field];
      assert.equal(offset, there, field);
      const name = typeof type === 'string' ? type : type.name;
      assert.ok(sameType(name, inC), `${field} is ${inC}, not ${name}`);
    }
  });
}
