/** What the inspector says of two models, and of a chunk's bytes. */
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { all, click, found, text } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { libcpb } from './support/libcpb.js';
import { assert, test } from './support/test.js';

const path = 'models/cpb/real_tf_module/orig.pb';
const module = readFileSync(`${root}tests/data/cpb/real_tf_module/orig.pb`);

/** The message with another text of the same length. @param {string} from @param {string} to */
function changed(from, to) {
  const bytes = Buffer.from(module);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at, 'latin1');
  return bytes;
}

const other = changed('MatMul', 'Matmul');

/** Types it and presses Enter. @param {string} text */
const compare = (text) => `{
  const input = ${found('input[name=other]')};
  input.value = ${JSON.stringify(text)};
  input.form.requestSubmit();
}`;

test('two models are compared as diff() compares them', () =>
  withInspector(
    async ({ page, server, visit, says }) => {
      await visit(path, { panel: 'compare' }, 'Give the address of another model');
      await page.evaluate(compare('/models/cpb/real_tf_module/max3000_zstd.cpb'));
      await says('Equal', 'The same: meta graphs');
      await page.evaluate(compare(new URL('/other/saved_model.pb', server.base).host + '/other/saved_model.pb'));
      await says('They differ');
      const { sections } = await libcpb.diff(module, other);
      const counts = sections.filter((/** @type {any} */ one) => one.added + one.removed + one.changed);
      const shown = await page.evaluate(
        `${all('details.box')}.map((one) => one.querySelector('summary').innerText.replace(/\\s+/g, ' ').trim())`,
      );
      assert.equal(shown.length, counts.length);
      for (const { section, same } of counts) {
        const title = section === 'ops' ? 'kinds of operations' : section.replaceAll('_', ' ');
        const [found = ''] = shown.filter((/** @type {string} */ one) => one.startsWith(title));
        assert.ok(found.endsWith(`${same} the same`), `${title}: ${shown}`);
      }
      await says('MatMul', 'Matmul', 'only in the other');
      // A link to the comparison makes it again.
      await page.evaluate('history.back()');
      await says('Equal');
    },
    { '/other/saved_model.pb': other },
  ));

test('differences are told in words, and parts of a model member by member', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit(path, { panel: 'compare', at: '/models/cpb/real_tf_keras_subclassed/orig.pb' }, 'They differ');
    await says('kinds of operations');
    await page.evaluate(`${all('details.box')}.forEach((one) => (one.open = true))`);
    const texts = await page.evaluate(
      `${all('details.box')}.find((one) => one.innerText.startsWith('overview')).innerText.split('\\n').map((one) => one.replace(/\\s+/g, ' ').trim()).filter(Boolean)`,
    );
    // Each fact has a line.
    for (const line of [
      '~concrete functions 6 → 18',
      '~keras only in the other: identifier _tf_keras_model, objects 5',
      'user objects 2 → 56',
      '~operations kinds that the exporter lists 27 → 34',
      'trainable 12 → 372',
      'bytes 48 → 1,488',
    ])
      assert.ok(texts.includes(line), `${line}: ${texts.join('\n')}`);
    const titles = await page.evaluate(`${all('details.box summary b')}.map((one) => one.innerText)`);
    assert.ok(
      titles.indexOf('overview') > titles.indexOf('signatures'),
      'the headline repeats what follows from the rest',
    );
    await says('reads up to 48 B of each model');
    assert.ok(!(await page.evaluate(text)).includes('values differ'));
    await page.evaluate(click('Compare values, too'));
    await page.until(`!${text}.includes('reads up to 48 B')`);
    await says('They differ');
    // No member of any section is told as JSON.
    const values = await page.evaluate(`${all('dd')}.map((one) => one.textContent)`);
    assert.ok(values.length > 20);
    assert.deepEqual(
      values.filter((/** @type {string} */ one) => /[{}"]|null/.test(one)),
      [],
    );
    await says('f32[?,4]');
  }));

test('both graphs beside each other: a step leads to the next difference in both, and so do its keys and the list', () =>
  withInspector(
    async ({ page, visit, says }) => {
      await visit(path, { panel: 'compare', at: '/other/saved_model.pb', graphs: 'yes' }, 'Next difference');
      const { sections } = await libcpb.diff(module, other);
      const nodes = sections
        .filter((/** @type {any} */ one) => one.section === 'nodes')
        .flatMap((/** @type {any} */ one) => one.differences);
      const sides = `${all('section[aria-label$=model]')}.map((one) => [...one.querySelector('cpb-graph').shadowRoot.querySelectorAll('g.box[aria-pressed=true]')].map((box) => box.getAttribute('aria-label')).join())`;
      const signs = { removed: ['− only here', ''], added: ['', '+ only here'], changed: ['~ changed', '~ changed'] };
      /** That each graph shows the difference, or nothing if it lacks the node. @param {number} number */
      const shows = async (number) => {
        const { change, name } = nodes[number];
        await says(`${number + 1} of ${nodes.length}`);
        if (/^NoOp$|\//.test(name)) return; // it has no box of its own
        const expected = signs[/** @type {keyof typeof signs} */ (change)].map(
          (sign) => sign && [name.split('/').at(-1), sign],
        );
        await page.until(
          `${sides}.every((label, i) => [].concat(${JSON.stringify(expected)}[i] || []).every((word) => label.includes(word)) && !label === !${JSON.stringify(expected)}[i])`,
        );
      };
      const key = (/** @type {string} */ key) =>
        page.evaluate(`${found('.both')}.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}' }))`);
      assert.ok(new Set(nodes.map((/** @type {any} */ { change }) => change)).size === 3, 'each kind of difference');
      for (let i = 0; i < nodes.length; i++) {
        await (i % 2 ? key('n') : page.evaluate(click('Next difference')));
        await shows(i);
      }
      await key('N');
      await shows(nodes.length - 2);
      await page.evaluate('window.isOld = true; location.reload()');
      await page.until('!window.isOld');
      await shows(nodes.length - 2);
      await page.evaluate(`${all('details.box')}.forEach((one) => (one.open = true))`);
      await page.evaluate(click(nodes[0].name));
      await shows(0);
    },
    { '/other/saved_model.pb': other },
  ));

test('a missing other model is reported, and its text is shown as text', () =>
  withInspector(
    async ({ page, visit, says }) => {
      await visit(path, { panel: 'compare', at: '/none/' }, 'There is no model at /none/');
      await visit(path, { panel: 'compare', at: '/odd/saved_model.pb' }, '<b>ul\\u{202e}');
    },
    { '/odd/saved_model.pb': changed('MatMul/Re', '<b>ul\u00e2\u0080\u00ae/') },
  ));

test('a chunk shows how it is stored, and its bytes', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const file = 'real_tf_module/max3000_zstd.cpb';
    const { message } = await libcpb.inspect(`${root}tests/data/cpb/${file}`);
    await visit(`models/cpb/${file}`, { panel: 'file' }, `${message.numChunks} chunks`, 'Position');
    const cells = (await rows()).slice(0, message.numChunks);
    assert.deepEqual(
      cells.map(([number, kind, , position]) => [number, kind, position?.replaceAll(',', '')]),
      Array.from(message.chunks(), ({ index, type, position }) => [`${index}`, type.toLowerCase(), `${position}`]),
    );
    await page.evaluate(click('2'));
    const chunk = message.chunk(2);
    const { records, codec, begin } = await chunk.stored();
    await says('Chunk 2', codec, `of ${records}`, begin.toLocaleString('en'));
    const bytes = await chunk.bytes();
    const lines = await page.evaluate(`${found('pre.hex')}.textContent`);
    const shown = lines.split('\n').flatMap((/** @type {string} */ line) => line.slice(8, 56).trim().split(/ +/));
    assert.deepEqual(
      shown.map((/** @type {string} */ byte) => Number.parseInt(byte, 16)),
      [...bytes.subarray(0, 1024)],
    );
    await page.evaluate(click('Next'));
    await says(`1,025 to ${Math.min(2048, bytes.length).toLocaleString('en')} of ${bytes.length.toLocaleString('en')}`);
    await visit(path, { panel: 'file' }, 'not a chunked file');
    await page.evaluate(click('Show the bytes of the message'));
    await says('000000  08 01 12');
  }));
