/** What a file is that is no model (tests/data/foreign.json), as the package says it. */
import { libcpb } from './support/libcpb.js';
import { assert, data, each, json, test } from './support/test.js';

/** @param {any} row */
async function contentOf({ file, text, base64 }) {
  if (file) return data(`tests/data/${file}`);
  return text === undefined ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) : new TextEncoder().encode(text);
}

/** @param {any} row */
async function check(row) {
  const file = new File([await contentOf(row)], row.name);
  const error = await libcpb.inspect(file).then(
    () => undefined,
    (/** @type {any} */ error) => error,
  );
  assert.equal(error?.code, 'FORMAT');
  assert.equal(error.message.slice(0, row.says.length), row.says);
}

test('a file is called what it is', async () =>
  each(await json('tests/data/foreign.json'), ({ is, name }) => `${is} ${name}`, check));

/** What servers and Git give in place of a file. */
const INSTEAD = ['empty', 'git_lfs', 'server_json', 'server_xml', 'web_page'];

/** @param {any} row */
async function checkOthers(row) {
  const bytes = await contentOf(row);
  const named = (/** @type {string} */ name) => new File([bytes], name);
  const calls = {
    'open() of a .cpb': () => libcpb.open(named('m.cpb')),
    'a field of a .pb': async () => (await libcpb.open(named('m.pb'))).field('meta_graphs'),
    'a kind': async () => (await libcpb.inspect(named('m.pb'), { kind: 'saved_model' })).overview(),
    'a kind of a .cpb': () => libcpb.inspect(named('m.cpb'), { kind: 'onnx' }),
  };
  for (const [what, call] of Object.entries(calls)) {
    const error = await call().then(
      () => undefined,
      (/** @type {any} */ error) => error,
    );
    assert.equal(error?.code, 'FORMAT', what);
    if (row.is === 'empty') assert.match(error.message, /\bempty\b/, what);
    else assert.equal(error.message.slice(0, row.says.length), row.says, what);
  }
}

test('a file opened as a message or a model of a kind stays that', async () =>
  each(
    (await json('tests/data/foreign.json')).filter((/** @type {any} */ { is }) => INSTEAD.includes(is)),
    ({ is, name }) => `${is} ${name}`,
    checkOthers,
  ));

test('a message remains one', async () => {
  const model = await libcpb.open(new File([Uint8Array.of(8, 1, 18)], 'cut.pb'));
  await assert.rejects(model.field('meta_graphs'), { code: 'DAMAGED' });
});
