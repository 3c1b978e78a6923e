// node node.js MODULE.wasm ARGUMENT...: runs a WASI command with every directory open.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [path, ...words] = process.argv.slice(2);

// wasi-libc takes "/" and "." for the same, so what is in "/" is opened by name.
const isFolder = (name) => statSync(name, { throwIfNoEntry: false })?.isDirectory();
const folders = [
  '.',
  ...readdirSync('/')
    .map((name) => `/${name}`)
    .filter(isFolder),
];

// Held by a global: Node 20 may collect it while its own imports run, and then aborts.
const wasi = (globalThis.wasi = new WASI({
  version: 'preview1',
  args: ['cpb', ...words],
  env: process.env,
  preopens: Object.fromEntries(folders.map((name) => [name, name])),
}));
const module = new WebAssembly.Module(readFileSync(path));
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
