// node node.js MODULE.wasm ARGUMENT...: runs a WASI command with every directory open.
//
// node node.js MODULE.wasm --each: runs one for every line of standard input, a JSON
// object {words, output, errors}: the arguments, and the files that standard output and
// error go to. Answers each with a line, the exit code.
import { closeSync, openSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { WASI } from 'node:wasi';

const [path, ...words] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));

// wasi-libc takes "/" and "." for the same, so what is in "/" is opened by name.
const isFolder = (name) => statSync(name, { throwIfNoEntry: false })?.isDirectory();
const folders = ['.', ...readdirSync('/').map((name) => `/${name}`).filter(isFolder)];

/** Node crashes when it collects a WASI object. @type {object[]} */
const kept = [];

function run(words, stdout = 1, stderr = 2) {
  const args = ['cpb', ...words];
  const preopens = Object.fromEntries(folders.map((name) => [name, name]));
  const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens, stdout, stderr });
  const instance = new WebAssembly.Instance(module, wasi.getImportObject());
  kept.push(wasi, instance);
  return wasi.start(instance);
}

function runInto({ words, output, errors }) {
  const files = [openSync(output, 'w'), openSync(errors, 'w')];
  try {
    return run(words, ...files);
  } finally {
    files.forEach((file) => closeSync(file));
  }
}

if (words[0] === '--each') {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(runInto(JSON.parse(line)));
  }
} else {
  process.exitCode = run(words);
}
