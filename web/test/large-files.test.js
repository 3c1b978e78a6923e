/**
 * A model of 3 GB in four other files, merged in Node, in a worker of Chromium, and by the command under WASI,
 * each in little memory. Only with CPB_TEST_ALL, as it takes minutes and 10 GB of disk.
 */
// alone: it measures memory, and takes all of the disk's time
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeSync } from 'node:fs';
import { libcpb } from './support/libcpb.js';
import { root } from './runtimes/files.js';
import { openTab } from './support/chromium.js';
import { assert, base, test } from './support/test.js';

const MiB = 2 ** 20;
const NODES = 48;
const TENSOR = 64 * MiB;
/** Bytes that are hashed at a time. */
const WINDOW = 16 * MiB;
const HELD = 256 * MiB;
/** How often memory is measured, in milliseconds: to ask for that of a browser takes long. */
const EVERY = 1000;
const FOLDER = 'build/large-files';
const command = process.env.CPB ?? `${root}build/cpb`;
const wasi = { program: `${root}build/tools/wasi-wasmtime`, module: `${root}build/wasi/cpb-cli.wasm` };

const skip = !process.env.CPB_TEST_ALL && 'only with CPB_TEST_ALL: 3 GB';
const noWasi = skip || (!existsSync(wasi.program) || !existsSync(wasi.module) ? 'no Wasmtime or module' : false);

/** @param {number} n @returns {number[]} */
const varint = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...varint(Math.floor(n / 128))]);
const ascii = (/** @type {string} */ text) => [...new TextEncoder().encode(text)];

/** All but the content of a constant of a GraphDef. @param {number} i */
function headOf(i) {
  /** @type {(number: number, before: number[], size: number) => number[]} */
  const field = (number, before, size) => [(number << 3) | 2, ...varint(before.length + size), ...before];
  const content = [(4 << 3) | 2, ...varint(TENSOR)];
  const tensor = field(8, [8, 1, ...field(2, [], 0), ...content], TENSOR);
  const attr = field(5, [...field(1, ascii('value'), 0), ...field(2, tensor, TENSOR)], TENSOR);
  return field(1, [...field(1, ascii(`n${i}`), 0), ...field(2, ascii('Const'), 0), ...attr], TENSOR);
}

/** SHA-256 of what comes, window by window. */
function hasher() {
  const all = createHash('sha256');
  let window = createHash('sha256');
  let left = WINDOW;
  return {
    /** @param {Uint8Array} bytes */
    add(bytes) {
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + left);
        window.update(part);
        at += part.length;
        left -= part.length;
        if (left === 0) {
          all.update(window.digest());
          [window, left] = [createHash('sha256'), WINDOW];
        }
      }
    },
    digest: () => all.update(window.digest()).digest('hex'),
  };
}

/** Makes the files, of a message that is not kept; answers its hash. */
function make() {
  rmSync(root + FOLDER, { recursive: true, force: true });
  mkdirSync(root + FOLDER, { recursive: true });
  const message = `${root}${FOLDER}/graph.pb`;
  const file = openSync(message, 'w');
  const hash = hasher();
  const write = (/** @type {Uint8Array} */ bytes) => {
    writeSync(file, bytes);
    hash.add(bytes);
  };
  const noise = new Uint32Array(TENSOR / 4);
  for (let i = 0, x = 1; i < noise.length; i++) noise[i] = x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  for (let i = 0; i < NODES; i++) {
    write(Uint8Array.from(headOf(i)));
    noise[0] = i;
    write(new Uint8Array(noise.buffer));
  }
  closeSync(file);
  const how = ['--type', 'tensorflow.GraphDef', '--files', '4', '--codec', 'none', '--quiet', '--force'];
  execFileSync(command, ['split', message, '-o', `${root}${FOLDER}/graph.cpb`, ...how]);
  rmSync(message);
  return hash.digest();
}

/** @param {number | string} pid @param {string} name */
const statusOf = (pid, name) => {
  const [, kib = '0'] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
};

/** What the processes that this one has started take. */
function startedMemory() {
  /** @type {Map<string, string>} */
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    parents.set(pid, read(`/proc/${pid}/stat`).replace(/^.*\) . (\d+) .*$/s, '$1'));
  const isOurs = (/** @type {string | undefined} */ pid) => {
    while (pid !== undefined && pid !== String(process.pid)) pid = parents.get(pid);
    return pid !== undefined;
  };
  let sum = 0;
  for (const pid of parents.keys()) {
    if (pid === String(process.pid) || !isOurs(pid)) continue;
    const [, kib = '0'] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
    sum += Number(kib) * 1024;
  }
  return sum;
}

/** A file of /proc; '' once the process has ended. @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The most that something takes while work is done.
 *
 * @template T
 * @param {() => number} measure
 * @param {() => Promise<T>} work
 */
async function peakOf(measure, work) {
  let peak = measure();
  const timer = setInterval(() => (peak = Math.max(peak, measure())), EVERY);
  try {
    return { result: await work(), peak };
  } finally {
    clearInterval(timer);
  }
}

const shown = (/** @type {number} */ bytes) => `${Math.round(bytes / MiB)} MiB`;

/** In the page: the hash of what a worker merges, window by window. @param {string} url */
const inPage = (url) => `(async () => {
  const { openInWorker } = await import('/web/src/index.js');
  const message = await openInWorker(${JSON.stringify(url)});
  const digests = [];
  let window = new Uint8Array(${WINDOW}), filled = 0, size = 0;
  const reader = message.merged().getReader();
  for (let next; !(next = await reader.read()).done;) {
    size += next.value.length;
    for (let at = 0; at < next.value.length;) {
      const part = next.value.subarray(at, at + window.length - filled);
      window.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled === window.length) {
        digests.push(new Uint8Array(await crypto.subtle.digest('SHA-256', window)));
        filled = 0;
      }
    }
  }
  digests.push(new Uint8Array(await crypto.subtle.digest('SHA-256', window.subarray(0, filled))));
  const all = new Uint8Array(await new Blob(digests).arrayBuffer());
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', all));
  message.close();
  return [size, [...sum].map((byte) => byte.toString(16).padStart(2, '0')).join('')];
})()`;

test('3 GB in four files', { skip, timeout: 3_600_000 }, async () => {
  const hash = make();
  const path = `${root}${FOLDER}/graph.cpb`;
  const tab = await openTab(`${base}/web/package.json`);
  try {
    // In Node.
    const { open, merge } = libcpb;
    const message = await open(path);
    assert.equal((await message.files()).length, 4);
    const hashed = hasher();
    const here = await peakOf(
      () => process.memoryUsage.rss(),
      async () => {
        for await (const piece of message.merged()) hashed.add(piece);
      },
    );
    message.close();
    assert.equal(hashed.digest(), hash);

    // In a worker of a page.
    await tab.until("location.protocol === 'http:'");
    const before = startedMemory();
    const there = await peakOf(startedMemory, () => tab.evaluate(inPage(`${base}/${FOLDER}/graph.cpb`)));
    assert.equal(there.result[1], hash);
    const grown = there.peak - before;
    console.log(`# ${there.result[0]} bytes: Node ${shown(here.peak)}, Chromium + ${shown(grown)}`);
    assert.ok(here.peak < 2 * HELD && grown < 2 * HELD, `${shown(here.peak)}, ${shown(grown)}`);

    // One that is lost, at the end of all that is read.
    renameSync(`${root}${FOLDER}/graph.00004-of-00004.cpb`, `${root}${FOLDER}/away`);
    const out = `${root}${FOLDER}/out.pb`;
    await assert.rejects(merge(path).toFile(out), { message: /^file "graph.00004-of-00004.cpb": / });
    assert.ok(!existsSync(out));
    renameSync(`${root}${FOLDER}/away`, `${root}${FOLDER}/graph.00004-of-00004.cpb`);
  } finally {
    await tab.close();
    if (noWasi) rmSync(root + FOLDER, { recursive: true });
    else await underWasi(path, hash);
  }
});

/** @param {string} path @param {string} hash */
async function underWasi(path, hash) {
  const out = `${root}${FOLDER}/out.pb`;
  try {
    const child = spawn(wasi.program, [wasi.module, 'merge', path, '-o', out, '--quiet'], { stdio: 'inherit' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const { result, peak } = await peakOf(
      () => (child.exitCode === null && existsSync(`/proc/${child.pid}`) ? statusOf(Number(child.pid), 'VmHWM') : 0),
      () => ended,
    );
    assert.equal(result, 0);
    console.log(`# Wasmtime ${shown(peak)}`);
    assert.ok(peak < HELD, shown(peak));
    const hashed = hasher();
    for await (const piece of createReadStream(out, { highWaterMark: MiB })) hashed.add(piece);
    assert.equal(hashed.digest(), hash);
  } finally {
    rmSync(root + FOLDER, { recursive: true });
  }
}
