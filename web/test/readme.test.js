/** What the package's README and its manual say, held against the package. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as libcpb from '../src/node.js';
import { assert, base, data, each, test } from './support/test.js';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const text = await readFile(new URL('../../docs/javascript.md', import.meta.url), 'utf8');
const blocks = [...`${readme}${text}`.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => String(code));
const CPB = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

/** The block with this in it. @param {string} part */
const block = (part) => String(blocks.find((code) => code.includes(part)));

/**
 * Runs a block of the README; `names` are what it has from elsewhere.
 *
 * @param {string} code
 * @param {Record<string, unknown>} [names]
 */
async function runs(code, names = {}) {
  const body = code.replace(/^import \{([^}]*)\} from 'libcpb';.*$/gm, 'const {$1} = libcpb;');
  const known = { libcpb, console: { log() {} }, ...libcpb, ...names };
  const Run = Object.getPrototypeOf(async () => {}).constructor;
  await new Run(...Object.keys(known), `{ ${body} }`)(...Object.values(known));
}

test('the table of errors has each code', async () => {
  const code = await readFile(new URL('../src/errors.js', import.meta.url), 'utf8');
  assert.deepEqual(
    [...code.matchAll(/\| `([A-Z_]+)` \| .* \|$/gm)].map(([, name]) => name),
    [...libcpb.codes],
  );
});

test('every import of the examples is exported', () => {
  const imports = [...`${readme}${text}`.matchAll(/import \{([^}]*)\} from 'libcpb(?:\/inline)?'/g)];
  const lists = imports.flatMap(([, list]) => String(list).split(','));
  const names = lists.map((name) => name.trim()).filter(Boolean);
  assert.ok(names.length > 10);
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(libcpb, name)),
    [],
  );
});

test('the page of the package is short, and its links lead somewhere', () => {
  assert.ok(readme.split('\n').length <= 250);
  for (const [link, to = ''] of readme.matchAll(/\]\(([^)]*)\)/g)) assert.match(to, /^https:/, link);
  const [, named = ''] = /The codes are (.*?)\.\n/s.exec(readme) ?? [];
  assert.deepEqual(
    [...named.matchAll(/`(\w+)`/g)].map(([, code]) => code),
    [...libcpb.codes],
  );
});

test('the first example runs', () =>
  runs(block('meta_info_def').replace('https://example.com/saved_model.cpb', `${base}/${CPB}`)));

test('the example that looks inside a model runs', () =>
  runs(block('inspect(').replace('https://example.com/saved_model.pb', `${base}/${CPB}`)));

test('split, merge and repack give the message again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-readme-'));
  try {
    const model = await libcpb.open(await data(CPB));
    const message = await new Response(model.merged()).arrayBuffer();
    await writeFile(`${folder}/saved_model.pb`, new Uint8Array(message));
    await runs(block('toFile').replace(/'(\w+\.(?:c?pb))'/g, `'${folder}/$1'`));
    const merged = new Uint8Array(await readFile(`${folder}/merged.pb`));
    assert.deepEqual(merged, new Uint8Array(message));
    assert.ok((await stat(`${folder}/saved_model.cpb`)).size > 0);
    model.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the example that writes records runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-readme-'));
  try {
    await runs(block('writeRecords(').replace("'log.riegeli'", `'${folder}/log.riegeli'`));
    const records = await libcpb.openRecords(`${folder}/log.riegeli`);
    const sizes = [];
    for await (const { size } of records) sizes.push(size);
    assert.deepEqual(sizes, [2, 2]);
    records.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the ways to open run', () => {
  const url = `${base}/${CPB}`;
  class AwsClient {
    /** @type {typeof fetch} */
    fetch = (...args) => fetch(...args);
  }
  const myStore = {
    get: async (/** @type {string} */ _, offset = 0, length = 0) => (await data(CPB)).slice(offset, offset + length),
    size: async () => (await data(CPB)).length,
  };
  const signed = { presignedUrl: url, urlWithSas: url, token: 'x', entraToken: 'x' };
  const keys = { AwsClient, accessKeyId: '', secretAccessKey: '', myStore, key: '' };
  const names = { url, ...signed, ...keys };
  const ways = ['presignedUrl', 'aws.fetch', 'r2.fetch', '${token}', 'urlWithSas', 'entraToken', 'myStore', 'attempts'];
  return each(ways, String, (way) => {
    const code = block(way).replace(/^import .*aws4fetch.*$/m, '');
    const opened = code.replace(/'https:\/\/[^']*'/, 'url');
    return runs(`${opened} if (model.numChunks < 2) throw model; model.close();`, names);
  });
});
