/** What the package needs of a runtime's WebAssembly. */
import { assert, each, runtime, test } from './support/test.js';

const [i32, i64, v128] = [0x7f, 0x7e, 0x7b];
const constant = 0x41;
const drop = 0x1a;
const end = 0x0b;

/** @type {(id: number, ...content: number[]) => number[]} */
const section = (id, ...content) => [id, content.length, ...content];

/**
 * A module with one function "f" and a memory "m" of one to two pages.
 *
 * @param {number[]} parameters
 * @param {number[]} results
 * @param {number[]} body
 */
function module(parameters, results, body) {
  return new Uint8Array([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, 1, 0x60, parameters.length, ...parameters, results.length, ...results),
    ...section(3, 1, 0),
    ...section(5, 1, 1, 1, 2),
    ...section(7, 2, 1, 0x66, 0, 0, 1, 0x6d, 2, 0),
    ...section(10, 1, body.length + 2, 0, ...body, end),
  ]);
}

const features = {
  'bulk memory': module([], [], [constant, 0, constant, 0, constant, 0, 0xfc, 10, 0, 0]),
  'sign extension': module([], [], [constant, 0, 0xc0, drop]),
  'conversion that saturates': module([], [], [0x43, 0, 0, 0, 0, 0xfc, 0, drop]),
  SIMD: module([], [v128], [constant, 0, 0xfd, 15, 0xfd, 98]),
};

const increment = module([i64], [i64], [0x20, 0, 0x42, 1, 0x7c]);
const grow = module([i32], [i32], [0x20, 0, 0x40, 0]);

/** @type {(bytes: Uint8Array) => Promise<any>} */
const instantiate = async (bytes) => {
  const { instance } = await WebAssembly.instantiate(/** @type {BufferSource} */ (bytes));
  return instance.exports;
};

const refuses = runtime === 'workerd' && 'it compiles no bytes; a module must be handed to it';

test('the features that the modules are built with are there', async () => {
  await each(
    Object.entries(features),
    ([name]) => name,
    ([, bytes]) => assert.ok(WebAssembly.validate(bytes)),
  );
  assert.ok(!WebAssembly.validate(module([], [], [0xff])), 'a module that is none');
});

test('64-bit values cross as BigInt, all 64 bits', { skip: refuses }, async () => {
  const { f } = await instantiate(increment);
  assert.equal(f(2n ** 53n), 2n ** 53n + 1n);
  assert.equal(f(2n ** 64n - 1n), 0n);
  assert.equal(f(2n ** 63n - 1n), -(2n ** 63n));
  assert.throws(() => f(1), TypeError);
});

test('memory that grows detaches its views, and stops at its maximum', { skip: refuses }, async () => {
  const { f, m } = await instantiate(grow);
  const view = new Uint8Array(m.buffer);
  assert.equal(f(1), 1);
  assert.equal(view.length, 0);
  assert.equal(m.buffer.byteLength, 2 * 65536);
  assert.equal(f(1), -1);
});

if (refuses) {
  test('workerd compiles no bytes', () => assert.rejects(() => WebAssembly.compile(increment)));
}

test('hashes, streams and BigInt views are there', async () => {
  const empty = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array()));
  assert.deepEqual([...empty.subarray(0, 4)], [0xe3, 0xb0, 0xc4, 0x42]);
  assert.equal(await new Response(new Blob(['ab']).stream()).text(), 'ab');
  assert.equal(new DataView(new ArrayBuffer(8)).getBigUint64(0, true), 0n);
  assert.equal(typeof FinalizationRegistry, 'function');
  assert.equal(typeof AbortSignal.any, 'function');
  assert.ok(AbortSignal.timeout(1000) instanceof AbortSignal);
});
