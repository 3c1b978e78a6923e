// node node-each.js MODULE.wasm: runs a WASI command, with every directory open, for each line
// of standard input, as each.h says. To start Node takes longer than most of the commands.
import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

// wasi-libc takes "/" and "." for the same, so what is in "/" is opened by name.
const isFolder = (name) => statSync(name, { throwIfNoEntry: false })?.isDirectory();
const folders = [
  '.',
  ...readdirSync('/')
    .map((name) => `/${name}`)
    .filter(isFolder),
];
const preopens = Object.fromEntries(folders.map((name) => [name, name]));

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const work = mkdtempSync(join(tmpdir(), 'cpb-node-'));
globalThis.held = []; // Node 20 may collect one while its own imports run, and then aborts.

function run(words) {
  const paths = ['out', 'err'].map((name) => join(work, name));
  const [stdout, stderr] = paths.map((path) => openSync(path, 'w'));
  const args = ['cpb', ...words];
  const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens, stdout, stderr, returnOnExit: true });
  globalThis.held.push(wasi);
  const code = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
  closeSync(stdout);
  closeSync(stderr);
  const [output, messages] = paths.map((path) => readFileSync(path));
  for (const part of [`${code} ${output.length} ${messages.length}\n`, output, messages]) process.stdout.write(part);
}

try {
  const lines = readFileSync(0, 'utf8').trim().split('\n');
  for (const line of lines) run(line.split('\t'));
} finally {
  rmSync(work, { recursive: true });
}
