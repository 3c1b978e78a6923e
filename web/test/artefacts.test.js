// The WebAssembly modules as they are shipped: imports, exports, features, sizes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = process.env.CPB_WASM ?? new URL('../../build/web', import.meta.url).pathname;

const looking = ['base', 'reader'];
const reading = [...looking, 'records'];
const all = [...reading, 'json', 'brotli'];
const models = [...looking, 'json', 'brotli', 'inspect', 'models'];

// The lists of what each exports, and its limit in bytes after brotli: what was reached and may not
// be lost again.
const modules = {
  reader: { lists: all, brotli: 98_300 },
  json: { lists: ['base', 'json'], brotli: 25_300 },
  numbers: { lists: ['numbers'], brotli: 9_400 },
  dictionary: { lists: ['dictionary'], brotli: 27_200 },
  full: { lists: [...reading, 'json', 'full'], brotli: 304_300 },
  inspect: { lists: [...looking, 'brotli', 'inspect'], brotli: 204_700 },
  models: { lists: models, brotli: 279_500 },
};

/** @param {string} list */
const listed = (list) =>
  readFileSync(new URL(`../wasm/exports-${list}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

/** @param {Uint8Array} bytes */
function brotli(bytes) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LGWIN]: 24,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).length;
}

/** The initial and the largest number of pages. @param {Uint8Array} bytes */
function pages(bytes) {
  let at = 8;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  for (;;) {
    const section = bytes[at++];
    const end = number() + at;
    if (section === 5) {
      assert.deepEqual([number(), bytes[at++]], [1, 1], 'one memory, which has a maximum');
      return [number(), number()];
    }
    at = end;
  }
}

const sizes = [];

for (const [name, module] of Object.entries(modules)) {
  const { lists, brotli: limit } = module;
  const path = `${folder}/${name}.wasm`;
  const bytes = existsSync(path) ? readFileSync(path) : new Uint8Array();

  test(`${name}.wasm imports nothing and exports what is listed`, () => {
    const module = new WebAssembly.Module(bytes);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const wanted = ['memory', '_initialize', ...lists.flatMap(listed)];
    const exports = WebAssembly.Module.exports(module).map((e) => e.name);
    assert.deepEqual(exports.sort(), wanted.sort());
  });

  test(`${name}.wasm needs no features that it may not`, () => {
    const features = ['bulk-memory', 'sign-ext', 'mutable-globals', 'nontrapping-float-to-int', 'simd'];
    const enable = features.map((feature) => `--enable-${feature}`);
    const check = ['--mvp-features', ...enable, '--vacuum', path, '-o', '/dev/null'];
    execFileSync('wasm-opt', check, { stdio: 'pipe' });
  });

  test(`${name}.wasm does not say itself what it needs, which would hide it from the test before`, () => {
    const module = new WebAssembly.Module(bytes);
    assert.equal(WebAssembly.Module.customSections(module, 'target_features').length, 0);
  });

  test(`${name}.wasm begins small and can grow to 4 GiB less 1 MiB`, () => {
    const [initial, most] = pages(bytes);
    assert.ok(initial <= 16, `${initial} pages`);
    assert.equal(most, 65536 - 16);
  });

  test(`${name}.wasm is at most ${limit} bytes after brotli`, () => {
    const compressed = brotli(bytes);
    const gzip = gzipSync(bytes, { level: 9 }).length;
    sizes.push({ module: name, raw: bytes.length, gzip, brotli: compressed });
    assert.ok(compressed <= limit, `${compressed} bytes`);
  });
}

test('docs/sizes.md says how large the modules are', () => {
  const script = new URL('../../tools/sizes.js', import.meta.url).pathname;
  execFileSync(process.execPath, [script, '--check', 'web'], { stdio: 'pipe', encoding: 'utf8' });
});

test.after(() => console.table(sizes));
