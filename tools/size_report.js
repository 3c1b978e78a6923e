// node tools/size_report.js MODULE [FOLDER]: what a WebAssembly module consists of, by folders of
// sources, and its largest functions and data: bytes, and how much smaller all would be without them
// after brotli. FOLDER, by default build/web, is a build with names:
//
//     cmake -DCPB_WASM_MAPS=ON build/web && ninja -C build/web inspect
//     node tools/size_report.js inspect
//     cmake -DCPB_WASM_MAPS=OFF build/web
//
// Functions of one name are told apart by their order, which is that of the files. Strings, which the
// linker merges, belong to no folder.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

/** @typedef {{ name: string, folder: string, bytes: Uint8Array }} Item */

/** @param {Uint8Array[]} parts */
function compressed(parts) {
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window } = constants;
  return brotliCompressSync(Buffer.concat(parts), { params: { [quality]: 11, [window]: 24 } }).length;
}

/** @param {Buffer} bytes */
function reader(bytes, at = 0) {
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      value += (bytes[at] & 127) * 2 ** shift;
      if (bytes[at++] < 128) return value;
    }
  };
  const signed = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      value |= (bytes[at] & 127) << shift;
      if (bytes[at++] < 128) return shift < 28 && bytes[at - 1] & 64 ? value | (-1 << (shift + 7)) : value;
    }
  };
  const take = (/** @type {number} */ length) => bytes.subarray(at, (at += length));
  const rest = () => bytes.subarray(at);
  return {
    number,
    signed,
    take,
    rest,
    text: () => take(number()).toString(),
    byte: () => bytes[at++],
    more: () => at < bytes.length,
  };
}

/** Functions' names by their numbers. @param {Buffer} section */
function functionNames(section) {
  const names = new Map();
  for (const all = reader(section); all.more();) {
    const id = all.byte();
    const part = reader(all.take(all.number()));
    if (id === 1) for (let count = part.number(); count > 0; count--) names.set(part.number(), part.text());
  }
  return names;
}

/** A module's functions, and its data in place. @param {Buffer} wasm */
function parse(wasm) {
  let names = new Map();
  const bodies = [];
  const memory = Buffer.alloc(1 << 24);
  for (const sections = reader(wasm, 8); sections.more();) {
    const id = sections.byte();
    const section = reader(sections.take(sections.number()));
    if (id === 10) for (let count = section.number(); count > 0; count--) bodies.push(section.take(section.number()));
    if (id === 0 && section.text() === 'name') names = functionNames(section.rest());
    if (id !== 11) continue;
    for (let count = section.number(); count > 0; count--) {
      section.take(2); // 0: active; i32.const
      const at = section.signed();
      section.byte();
      section.take(section.number()).copy(memory, at);
    }
  }
  return { functions: bodies.map((bytes, i) => ({ name: String(names.get(i)), bytes })), memory };
}

/** In which folders of sources each name is defined. @param {string} build */
function definitions(build) {
  const files = readdirSync(build, { recursive: true, encoding: 'utf8' });
  const objects = files.filter((file) => /^web.*\.c\.o$/.test(file) && !/zstd-small\.dir|layouts/.test(file));
  const options = { cwd: build, encoding: /** @type {const} */ ('utf8'), maxBuffer: 1 << 28 };
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const line of execFileSync('llvm-nm', ['-A', '--defined-only', ...objects], options).split('\n')) {
    const [, file, name] = line.match(/^(\S+?): .* (\S+)$/) ?? [];
    if (file)
      found.set(name, [...(found.get(name) ?? []), file.replace(/.*\.dir\/(__\/)*/, '').replace(/.*_sources\//, '')]);
  }
  return found;
}

/**
 * What the linker put in: names, in the order of files, with their files.
 * @param {string} map @param {Map<string, string[]>} defined
 */
function linked(map, defined) {
  let last = '';
  return readFileSync(map, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, address, size, what] = line.match(/^ *(-|[0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +(\S+:\(.*\))$/) ?? [];
      if (!what) return [];
      const name = what.replace(/^.*:\((\.(rodata|data|bss)\.)?/, '').slice(0, -1);
      const base = name.replace(/\.\d+$/, '').replace(/^([^.]+)\..*/, '$1');
      const candidates = defined.get(name) ?? defined.get(base) ?? [];
      const archive = /([\w.-]+\.a|[\w.-]+\.o):/.exec(what.split(':(')[0] + ':')?.[1];
      const file =
        name.startsWith('.L.str') || name === '.rodata'
          ? 'strings'
          : candidates.includes(last)
            ? last
            : (candidates[0] ?? archive ?? '?');
      if (candidates.length) last = file;
      return [{ name, file, at: address === '-' ? -1 : parseInt(address, 16), size: parseInt(size, 16) }];
    });
}

/** Each takes as long as all is compressed. */
const ROWS = 50;

const folderOf = (/** @type {string} */ file) => (file.includes('/') ? file.replace(/\/[^/]*$/, '') : file);

/** @param {Item[]} items */
function report(items) {
  const whole = compressed(items.map((item) => item.bytes));
  const without = (/** @type {(item: Item) => boolean} */ left) =>
    whole - compressed(items.filter((item) => !left(item)).map((item) => item.bytes));
  const sum = (/** @type {Item[]} */ some) => some.reduce((total, item) => total + item.bytes.length, 0);
  /** @type {Map<string, Item[]>} */
  const folders = new Map();
  for (const item of items) folders.set(item.folder, [...(folders.get(item.folder) ?? []), item]);
  console.log(`all: ${sum(items)} bytes, ${whole} after brotli`);
  const row = (/** @type {number} */ bytes, /** @type {number} */ less, /** @type {string} */ what) =>
    console.log(String(bytes).padStart(8), String(less).padStart(8), what);
  for (const [folder, some] of [...folders].sort((a, b) => sum(b[1]) - sum(a[1])).slice(0, ROWS))
    row(
      sum(some),
      without((item) => item.folder === folder),
      folder,
    );
  const largest = [...items].sort((a, b) => b.bytes.length - a.bytes.length).slice(0, ROWS);
  console.log();
  for (const item of largest)
    row(
      item.bytes.length,
      without((other) => other === item),
      `${item.name} ${item.folder}`,
    );
}

const [module, build = 'build/web'] = process.argv.slice(2);
const { functions, memory } = parse(readFileSync(`${build}/${module}.wasm`));
const parts = linked(`${build}/web/${module}.map`, definitions(build));
const files = new Map(parts.map((part) => [part.name, part.file]));
report([
  ...functions.map(({ name, bytes }) => ({ name, folder: folderOf(files.get(name) ?? '?'), bytes })),
  ...parts
    .filter((part) => part.at > 0)
    .map((part) => ({
      name: part.name,
      folder: `${folderOf(part.file)} (data)`,
      bytes: memory.subarray(part.at, part.at + part.size),
    })),
]);
