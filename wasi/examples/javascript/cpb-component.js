// Reads .cpb files with cpb-component.wasm, which jco makes a JavaScript module of:
//
//     npx @bytecodealliance/jco transpile cpb-component.wasm --instantiation sync -o component
//     node cpb-component.js component/cpb-component.js MODEL.cpb [CHUNK or FIELD] > bytes
//
// Writes a chunk, a field by its path, or the merged message. wasi/component/wit/cpb.wit describes
// the functions; component/*.d.ts has their types.
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, realpathSync, writeSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Resources and sources have a method of this name, which gives back what they hold. */
export const dispose = Symbol.dispose ?? Symbol.for('dispose');

const failing = (read) => {
  try {
    return read();
  } catch (error) {
    throw { tag: 'failed', val: error.message };
  }
};

/** The component's input; outside Node, replace only this class. */
export class Source {
  constructor(path) {
    this.file = openSync(path);
  }

  size() {
    return failing(() => BigInt(fstatSync(this.file).size));
  }

  readAt(offset, length, _ahead) {
    const bytes = new Uint8Array(length);
    return failing(() => bytes.subarray(0, readSync(this.file, bytes, 0, length, Number(offset))));
  }

  [dispose]() {
    closeSync(this.file);
  }
}

/** The files of a folder, for a model in it. */
export class Folder {
  source = Source;

  constructor(path) {
    this.path = realpathSync(path);
  }

  open(name) {
    const path = join(this.path, name);
    if (!existsSync(path) || !realpathSync(path).startsWith(this.path + sep)) return undefined;
    return failing(() => new this.source(path));
  }
}

/** The interfaces of an instance of its own: `chunked`, `messages`, `records`; of the complete one also `models` and
 * `splits`. */
export async function instantiate(url, host = { Source, Folder }) {
  const component = await import(url);
  const getModule = (name) => new WebAssembly.Module(readFileSync(new URL(name, url)));
  return component.instantiate(getModule, { 'libcpb:cpb/source': host, 'libcpb:cpb/folder': host });
}

export function* pieces(content, size = 65536) {
  try {
    for (let bytes; (bytes = content.next(size));) yield bytes;
  } finally {
    content[dispose]();
  }
}

function read({ chunked, messages }, path, what) {
  const source = new Source(path);
  if (what !== undefined && !/^\d+$/.test(what)) {
    return messages.openField(source, { form: 'guess' }, what).read(0n);
  }
  const file = chunked.File.open(source, { verify: 'late' });
  return what === undefined ? file.merge({ trustSizes: false }).read(0n) : file.read(BigInt(what), 0n);
}

async function main([module, path, what]) {
  const component = await instantiate(pathToFileURL(module));
  try {
    for (const piece of pieces(read(component, path, what))) {
      for (let at = 0; at < piece.length;) at += writeSync(1, piece, at);
    }
  } catch ({ message }) {
    // of the interface's `error`, or of JavaScript's
    console.error(`${path}: ${message}`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
