/** libcpb.show() in a real JupyterLab: the page reads a model through the kernel, and no more of it than it shows. */
import { openSync, closeSync, ftruncateSync, writeFileSync, writeSync } from 'node:fs';
import { root } from '../runtimes/files.js';
import { start, temporary } from '../runtimes/process.js';
import { openPage } from '../support/chromium.js';
import { assert, test } from '../support/test.js';

const python = `${root}build/recipes/bin/python`;
const GB = 2 ** 30;

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** @param {number[]} content @param {number} [more] bytes that follow it */
const field = (/** @type {number} */ number, /** @type {number[]} */ content, more = 0) => [
  ...[number * 8 + 2, ...varint(content.length + more)],
  ...content,
];
const text = (/** @type {string} */ value) => [...new TextEncoder().encode(value)];

/** An ONNX model with a weight of 5 GB, of which the disk has a few bytes. @param {string} path */
function writeLarge(path) {
  const count = (5 * GB) / 4;
  const raw = [9 * 8 + 2, ...varint(5 * GB)];
  const tensor = [8, ...varint(count), 16, 1, ...field(8, text('weights of 5 GB')), ...raw];
  const node = field(1, [...field(1, text('weights of 5 GB')), ...field(2, text('y')), ...field(4, text('Relu'))]);
  const graph = [...node, ...field(2, text('large')), ...field(5, tensor, 5 * GB)];
  const model = [8, 8, ...field(8, [16, 17]), ...field(7, graph, 5 * GB)];
  const file = openSync(path, 'w');
  writeSync(file, Uint8Array.from(model));
  ftruncateSync(file, model.length + 5 * GB);
  closeSync(file);
}

/** A notebook of one cell. @param {string} source */
const notebook = (source) => ({
  cells: [{ cell_type: 'code', execution_count: null, id: 'one', metadata: {}, outputs: [], source }],
  metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 5,
});

const page = `(() => {
  const said = (node) => node.nodeType === 3 ? node.data : /^(STYLE|SCRIPT)$/.test(node.tagName) ? ''
    : [...(node.shadowRoot ?? node).childNodes].map(said).join(' ');
  return said(document.body).replace(/\\s+/g, ' ');
})()`;

test('a model of 5 GB is shown in JupyterLab, by a few kilobytes that the kernel reads', async () => {
  const { path, remove } = temporary();
  writeLarge(`${path}/large.onnx`);
  writeFileSync(`${path}/one.ipynb`, JSON.stringify(notebook("import libcpb\nlibcpb.show('large.onnx', height=700)")));
  const where = { HOME: path, JUPYTER_CONFIG_DIR: path, JUPYTER_RUNTIME_DIR: `${path}/run`, IPYTHONDIR: `${path}/i` };
  const options = [
    '--no-browser',
    '--allow-root',
    '--port=0',
    '--expose-app-in-browser',
    `--ServerApp.root_dir=${path}`,
  ];
  const lab = start([python, '-m', 'jupyterlab', ...options], { ...where, PYTHONPATH: `${root}build/python` });
  /** @type {import('../support/chromium.js').Page | undefined} */
  let tab;
  try {
    let url;
    for (let tries = 0; !url && tries < 600; tries++) {
      url = /http:\/\/127\.0\.0\.1:\S+token=\S+/.exec(lab.output())?.[0];
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.ok(url, lab.output());
    tab = await openPage(String(url).replace('/lab?', '/lab/tree/one.ipynb?'));
    await tab.until('jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "idle"');
    await tab.evaluate('void jupyterapp.commands.execute("notebook:run-all-cells")');
    await tab.until('Boolean(document.querySelector("iframe[title=\'Model inspector\']"))');
    const frame = await tab.frame();
    await frame.until(`${page}.includes('weights of 5 GB')`);
    const said = await frame.evaluate(page);
    const [, kilobytes] = /([\d.]+) KiB read in/.exec(said) ?? [];
    assert.ok(Number(kilobytes) < 100, said);
    const all =
      '((node) => { const in_ = (node) => [...node.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? in_(one.shadowRoot) : [])]); return in_(node); })(document)';
    await frame.evaluate(`${all}.find((one) => one.id === 'tab-graph').click()`);
    await frame.until(
      `${all}.some((one) => one.localName === 'svg' && one.querySelector('g') && /Relu/.test(one.textContent))`,
    );
  } finally {
    await tab?.close();
    await lab.close();
    remove();
  }
});
