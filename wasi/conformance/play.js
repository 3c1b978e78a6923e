// node play.js TAPE MODULE.wasm: plays a tape in Node. What a tape is: README.md beside this.
import { readFileSync } from 'node:fs';

const [tape, wasm] = process.argv.slice(2).map((path) => readFileSync(path));
const module = new WebAssembly.Module(wasm);
let at = 0;
let exports;
let [calls, compared] = [0, 0];

function fail(text) {
  console.error(`before byte ${at} of the tape: ${text}`);
  process.exit(1);
}

const take = (size) => tape.subarray(at, (at += size));
const take8 = () => tape[at++];
const take32 = () => tape.readUInt32LE((at += 4) - 4);
const take64 = () => tape.readBigUInt64LE((at += 8) - 8);
const takeText = () => take(take8()).toString();

// i32 and i64 are signed in JavaScript; the tape's numbers are not.
const toModule = { i: (value) => Number(value) | 0, I: (value) => BigInt.asIntN(64, value) };
const fromModule = { i: (value) => BigInt(value >>> 0), I: (value) => BigInt.asUintN(64, value) };

const memory = (offset, size) => {
  if (offset + size > exports.memory.buffer.byteLength) fail('memory is too small');
  return new Uint8Array(exports.memory.buffer, offset, size);
};

function call() {
  const { name, result, parameters } = functions[take8()];
  const values = parameters.map((kind) => toModule[kind](take64()));
  let got;
  try {
    got = exports[name](...values);
  } catch (error) {
    fail(`${name}: ${error.message}`);
  }
  calls++;
  if (result === 'v') return;
  const wanted = take64();
  const value = fromModule[result](got);
  if (value !== wanted) fail(`${name} gave ${value}, not ${wanted}`);
}

const steps = {
  N: () => ({ exports } = new WebAssembly.Instance(module)),
  C: call,
  W() {
    const [offset, size] = [take32(), take32()];
    memory(offset, size).set(take(size));
  },
  R() {
    const [offset, size] = [take32(), take32()];
    if (take(size).compare(memory(offset, size)) !== 0) fail('memory holds something else');
    compared += size;
  },
  P() {
    if (exports.memory.buffer.byteLength !== take32() * 65536) fail('memory is of another size');
  },
};

if (take(8).toString() !== 'cpbtape1') fail('no tape');
const functions = Array.from({ length: take8() }, () => {
  const name = takeText();
  const [result, ...parameters] = takeText();
  return { name, result, parameters };
});
while (at < tape.length) {
  const step = steps[String.fromCharCode(take8())] ?? (() => fail('unknown step'));
  step();
}
console.log(`${calls} calls, ${compared} bytes compared`);
