/** A .cpb file whose chunks are in other files of its folder, in Node, Deno and Bun. */
// runtimes: node, deno, bun
import { execFileSync } from 'node:child_process';
import { createReadStream, readdirSync, readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { assert, data, each, runtime, test } from './support/test.js';

const { cp, mkdir, mkdtemp, open: openHandle, readdir, readFile, rename, rm, symlink } = fs;
const command = process.env.CPB ?? fileURLToPath(new URL('../../build/cpb', import.meta.url));
const TYPE = 'tensorflow.GraphDef';
const { inspectInWorker, merge, open, openInWorker, repack } = libcpb;
const FOLDER = 'tests/data/several_files';
const PARTS = [1, 2, 3, 4].map((i) => `graph.0000${i}-of-00004.cpb`);
const OUTSIDE = 'it is not in the folder of the file that names it';

/**
 * A copy of the files in a folder beside which there are others.
 *
 * @param {(folder: string, above: string) => Promise<void>} act
 */
const withFolder = (act) => async () => {
  const above = await mkdtemp(join(tmpdir(), 'cpb-'));
  const folder = join(above, 'a model');
  try {
    await cp(new URL(`../../${FOLDER}`, import.meta.url), folder, { recursive: true });
    await cp(join(folder, 'graph.pb'), join(above, 'graph.pb'));
    await act(folder, above);
  } finally {
    await rm(above, { recursive: true });
  }
};

const whole = () => data(`${FOLDER}/graph.pb`);

/** @param {any} input @param {object} [options] */
async function merged(input, options) {
  const message = await open(input, options);
  try {
    return await collect(message.merged());
  } finally {
    message.close();
  }
}

test(
  'by path, by URL and by a stream of a file',
  withFolder(async (folder) => {
    const path = join(folder, 'graph.cpb');
    for (const input of [path, pathToFileURL(path), String(pathToFileURL(path)), createReadStream(path)]) {
      assert.deepEqual(await merged(input), await whole());
    }
    assert.deepEqual(await merge(path).bytes(), await whole());
    const one = join(folder, 'one.cpb');
    await repack(path).toFile(one);
    await Promise.all(PARTS.map((name) => rm(join(folder, name))));
    assert.deepEqual(await merged(one), await whole());
  }),
);

test(
  'a file that was opened has no folder',
  withFolder(async (folder) => {
    const handle = await openHandle(join(folder, 'graph.cpb'));
    try {
      await assert.rejects(merged(handle), { code: 'READ', message: /^file "graph.00001-of-00004.cpb": .*no folder/ });
      const references = (/** @type {string} */ name) => join(folder, name);
      assert.deepEqual(await merged(handle, { references }), await whole());
    } finally {
      await handle.close();
    }
  }),
);

test(
  'in a worker thread',
  withFolder(async (folder) => {
    const path = join(folder, 'graph.cpb');
    const message = await openInWorker(path);
    assert.deepEqual(await collect(message.merged()), await whole());
    message.close();
    const model = await inspectInWorker(path);
    assert.equal((await model.overview()).nodes, 8);
    model.close();
    await rm(join(folder, PARTS[1] ?? ''));
    const lacking = await openInWorker(path);
    await assert.rejects(lacking.chunk(3).bytes(), { code: 'READ', message: /^file "graph.00002-of-00004.cpb": / });
    lacking.close();
  }),
);

test(
  'a part that is lost, shortened or exchanged is named, and nothing is written',
  withFolder(async (folder) => {
    const part = join(folder, PARTS[1] ?? '');
    const out = join(folder, 'out');
    await rename(part, join(folder, 'kept'));
    await each(
      ['gone.cpb', 'short.cpb', 'exchanged.cpb'],
      (name) => name,
      async (name) => {
        await rm(part, { force: true });
        if (name !== 'gone.cpb') await cp(join(folder, name), part);
        const error = { message: /^file "graph.00002-of-00004.cpb"[:,] / };
        await assert.rejects(merge(join(folder, 'graph.cpb')).toFile(out), error);
        await assert.rejects(repack(join(folder, 'graph.cpb')).toFile(out), error);
        assert.deepEqual(
          (await readdir(folder)).filter((one) => one.startsWith('out')),
          [],
        );
      },
    );
  }),
);

test(
  'names that lead out of the folder are refused',
  withFolder(async (folder) => {
    await each(
      ['up', 'up_below', 'absolute', 'url', 'backslash'],
      (name) => name,
      async (name) => {
        await assert.rejects(merged(join(folder, `${name}.cpb`)), { code: 'READ', message: new RegExp(OUTSIDE) });
      },
    );
    await assert.rejects(merged(join(folder, 'escaped.cpb')), { message: /^file "%2e%2e\/graph.cpb": .*ENOENT/ });
    assert.deepEqual(await merged(join(folder, 'below.cpb')), await whole());
    // Allowed by the caller.
    const references = () => join(folder, 'below/part.cpb');
    assert.deepEqual(await merged(join(folder, 'up.cpb'), { references }), await whole());
  }),
);

test(
  'links are followed within the folder, and not out of it',
  withFolder(async (folder, above) => {
    const part = join(folder, 'below/part.cpb');
    await rename(part, join(folder, 'real.cpb'));
    await symlink('../real.cpb', part);
    assert.deepEqual(await merged(join(folder, 'below.cpb')), await whole());
    await rename(join(folder, 'real.cpb'), join(above, 'real.cpb'));
    await rm(part);
    await symlink('../../real.cpb', part);
    const error = { code: 'READ', message: new RegExp(`^file "below/part.cpb": ${OUTSIDE}`) };
    await assert.rejects(merged(join(folder, 'below.cpb')), error);
    // So for a folder on the way, and for one whose name only begins alike.
    await rm(join(folder, 'below'), { recursive: true });
    await mkdir(join(above, 'a model 2'));
    await rename(join(above, 'real.cpb'), join(above, 'a model 2/part.cpb'));
    await symlink('../a model 2', join(folder, 'below'));
    await assert.rejects(merged(join(folder, 'below.cpb')), error);
  }),
);

test(
  'a link has the folder of the file at its end, too',
  withFolder(async (folder, above) => {
    const snapshot = join(above, 'snapshots/1');
    await mkdir(snapshot, { recursive: true });
    for (const name of ['graph.cpb', ...PARTS]) await symlink(join('../../a model', name), join(snapshot, name));
    const path = join(snapshot, 'graph.cpb');
    const part = 'graph.00002-of-00004.cpb';
    assert.deepEqual(await merged(path), await whole());
    const error = { code: 'READ', message: new RegExp(`^file "${part}": ${OUTSIDE}`) };
    await rename(join(folder, part), join(above, 'real.cpb'));
    await rm(join(snapshot, part));
    await symlink('../../real.cpb', join(snapshot, part));
    await assert.rejects(merged(path), error);
    // A file of its own in the snapshot is really there, and the others are outside.
    await rename(join(above, 'real.cpb'), join(folder, part));
    await rm(path);
    await cp(join(folder, 'graph.cpb'), path);
    await assert.rejects(merged(path), { code: 'READ', message: new RegExp(OUTSIDE) });
  }),
);

/**
 * Exchanges something before each call of a function of node:fs/promises, once.
 *
 * @param {string} name
 * @param {number} at at which call
 * @param {() => Promise<void>} exchange
 */
function exchanging(name, at, exchange) {
  const all = /** @type {Record<string, any>} */ (fs);
  const real = all[name];
  let calls = 0;
  all[name] = async (/** @type {any[]} */ ...args) => {
    if (++calls === at) await exchange();
    return real(...args);
  };
  syncBuiltinESMExports();
  return () => {
    all[name] = real;
    syncBuiltinESMExports();
  };
}

test(
  'links that are exchanged meanwhile lead nowhere else',
  { skip: runtime !== 'node' && 'its file system cannot be replaced there' },
  withFolder(async (folder, above) => {
    const secret = join(above, 'secret');
    const below = join(folder, 'below');
    await cp(below, secret, { recursive: true });
    const bytes = await readFile(join(secret, 'part.cpb'));
    await fs.writeFile(join(secret, 'part.cpb'), bytes.fill(7, 64));
    const calls = { open: 3, realpath: 4, stat: 2, readlink: 3, lstat: 1 };
    for (const [name, most] of Object.entries(calls)) {
      for (let at = 1; at <= most; at++) {
        const stop = exchanging(name, at, async () => {
          await rename(below, join(folder, 'away'));
          await symlink('../secret', below);
        });
        const got = await merged(join(folder, 'below.cpb')).catch((error) => error);
        stop();
        if (got instanceof Error)
          assert.match(got.message, /not in the folder|exchanged|ENOENT|ELOOP/, `${name} ${at}`);
        else assert.deepEqual(got, await whole());
        if (!(await fs.lstat(below)).isSymbolicLink()) continue;
        await rm(below);
        await rename(join(folder, 'away'), below);
      }
    }
  }),
);

test(
  'a pipe or a folder is no part',
  withFolder(async (folder) => {
    const part = join(folder, 'below/part.cpb');
    await rm(part);
    execFileSync('mkfifo', [part]);
    await assert.rejects(merged(join(folder, 'below.cpb')), {
      message: /^file "below\/part.cpb": .*not a regular file/,
    });
    await assert.rejects(merged(part), { message: /part.cpb is not a regular file/ });
    await rm(part);
    await mkdir(part);
    await assert.rejects(merged(join(folder, 'below.cpb')), { message: /^file "below\/part.cpb": / });
  }),
);

/** How many parts of a folder this process has open. @param {string} folder */
function openIn(folder) {
  const pathOf = (/** @type {string} */ fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // it was closed
    }
  };
  return readdirSync('/proc/self/fd').filter((fd) => pathOf(fd).startsWith(folder) && /-of-/.test(pathOf(fd))).length;
}

test(
  'at most eight others are open at once',
  withFolder(async (folder) => {
    const model = fileURLToPath(new URL('../../tests/data/cpb/real_frozen_conv/orig.pb', import.meta.url));
    const path = join(folder, 'm.cpb');
    const how = ['--type', TYPE, '--files', '20', '--max-chunk-size', '300', '--quiet'];
    execFileSync(command, ['split', model, '-o', path, ...how]);
    const message = await open(path);
    assert.ok((await message.files()).length > 12);
    let most = 0;
    const reading = Array.from(message.chunks(), (chunk) => chunk.bytes());
    for (const bytes of reading) {
      await bytes;
      most = Math.max(most, openIn(folder));
    }
    // Deno lets go of a descriptor some time after it was closed.
    assert.ok((runtime === 'deno' || most <= 8) && most > 0, `${most}`);
    for (let i = 0; i < 50 && openIn(folder) > 8; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(openIn(folder) <= 8);
    assert.deepEqual(await collect(message.merged()), new Uint8Array(await readFile(model)));
    message.close();
    for (let i = 0; i < 50 && openIn(folder) > 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(openIn(folder), 0);
  }),
);
