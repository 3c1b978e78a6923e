/** Each assertion can fail, and fails for the right reason. */
import { sha256 } from './support/sha256.js';
import { assert, each, test } from './support/test.js';

/** @type {(fn: () => unknown, pattern?: RegExp) => Promise<void>} */
async function fails(fn, pattern = /./) {
  try {
    await fn();
  } catch (error) {
    if (pattern.test(String(error))) return;
    throw new Error(`${error} does not match ${pattern}`);
  }
  throw new Error(`${fn} did not fail`);
}

test('ok, equal and match fail on what is not so', async () => {
  assert.ok(1);
  assert.equal(NaN, NaN);
  assert.match('abc', /b/);
  await fails(() => assert.ok(0, 'where'), /where: 0/);
  await fails(() => assert.equal(1, '1'), /1 is not "1"/);
  await fails(() => assert.equal(0, -0));
  await fails(() => assert.match('abc', /d/));
});

test('deepEqual sees a difference wherever it is', async () => {
  const same = () => ({ a: [1, { b: new Uint8Array([1, 2]) }], c: new Map([[1, new Set([2])]]) });
  assert.deepEqual(same(), same());
  const pairs = [
    [{ a: 1 }, { a: 2 }],
    [{ a: undefined }, {}],
    [[1], [1, 2]],
    [[1], { 0: 1 }],
    [new Uint8Array([1]), new Uint8Array([2])],
    [new Uint8Array(2), new Uint16Array(1)],
    [new Map([[1, 2]]), new Map([[1, 3]])],
    [new Set([1]), new Set([2])],
    [null, {}],
    [1n, 1],
  ];
  for (const [a, b] of pairs) {
    await fails(() => assert.deepEqual(a, b));
    await fails(() => assert.deepEqual({ x: [b] }, { x: [a] }), /x/);
  }
});

test('throws and rejects look at the error', async () => {
  const error = Object.assign(new RangeError('too far'), { code: 'LIMIT', offset: 3 });
  const thrower = () => {
    throw error;
  };
  assert.equal(assert.throws(thrower, { code: 'LIMIT', offset: 3, message: /far/ }), error);
  assert.throws(thrower, RangeError);
  assert.equal(await assert.rejects(Promise.reject(error), /far/), error);
  await assert.rejects(async () => thrower(), RangeError);
  await fails(() => assert.throws(() => 1), /nothing was thrown/);
  await fails(() => assert.throws(thrower, { code: 'OTHER' }), /code is "LIMIT", not "OTHER"/);
  await fails(() => assert.throws(thrower, /near/));
  await fails(() => assert.throws(thrower, TypeError));
  await fails(() => assert.rejects(Promise.resolve(1)), /nothing was thrown/);
  await fails(() => assert.rejects(Promise.reject(error), { offset: 4 }));
});

test('each runs every case and tells which failed', async () => {
  /** @type {number[]} */
  const seen = [];
  const run = () =>
    each([1, 2, 3], String, (n) => {
      seen.push(n);
      if (n !== 2) throw new Error(`no ${n}`);
    });
  await fails(run, /2 of 3 cases failed[^]*1: [^]*no 1[^]*3: [^]*no 3/);
  assert.deepEqual(seen, [1, 2, 3]);
  await fails(() => each([], String, () => {}), /no case/);
});

test('SHA-256 is remembered for equal bytes only', async () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(await sha256('abc'), abc);
  assert.equal(await sha256(new TextEncoder().encode('abc')), abc);
  const hashes = new Set();
  for (let i = 0; i < 256; i++) hashes.add(await sha256(new Uint8Array([0, i])));
  assert.equal(hashes.size, 256);
});
