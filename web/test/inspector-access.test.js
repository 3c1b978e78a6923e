/** The inspector page and those who cannot see it, or only see it differently: axe-core's rules. */
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { openTab } from './support/chromium.js';
import { serve, text } from './support/inspector.js';
import { beside, large } from './support/savedmodels.js';
import { assert, test } from './support/test.js';

const axe = readFileSync(`${root}web/inspector/node_modules/axe-core/axe.min.js`, 'utf8');
const model = 'tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const inner = '__inference__wrapped_model_852';

/**
 * Each panel, and what it says when it is ready.
 *
 * @type {[model: string, place: Record<string, string>, word: string][]}
 */
const places = [
  ['', {}, 'Drop a model here'],
  ['none.pb', {}, '404'],
  [model, {}, 'Fingerprint'],
  [model, { panel: 'signatures' }, 'conv2d/kernel'],
  [model, { panel: 'objects' }, 'Children'],
  [model, { panel: 'layers' }, '2,847'],
  [model, { panel: 'layers', at: 'root.layer_with_weights-0' }, 'conv2d/bias'],
  [model, { panel: 'variables' }, 'conv2d/kernel'],
  [model, { panel: 'variables', at: 'root.layer_with_weights-0.kernel' }, 'Close'],
  [model, { panel: 'operations', sort: '-op' }, 'No custom operations'],
  [model, { panel: 'bytes' }, 'of the saver'],
  [model, { panel: 'functions' }, inner],
  [model, { panel: 'functions', at: inner }, 'Called by'],
  [model, { panel: 'graph', at: inner, node: 'model/conv2d/Relu', follow: 'upstream' }, 'Used by'],
  [model, { panel: 'graph', at: '__inference_signature_wrapper_1024' }, '→ _wrapped_model'],
  [
    'models/cpb/real_frozen_conv/orig.pb',
    { panel: 'bytes', at: 'model/a/MatMul/ReadVariableOp/resource' },
    'Standard deviation',
  ],
  [model, { panel: 'compare', at: '/cut/saved_model.pb', graphs: 'yes' }, 'Next difference'],
  [model, { panel: 'file' }, 'requests so far'],
  [model, { panel: 'search', at: 'kernel' }, 'conv2d/kernel'],
  ['models/samediff_small/minimal.zip', {}, 'default tag'],
  ['models/samediff_small/minimal.zip', { panel: 'training' }, 'no training configuration'],
  [model, { panel: 'variables' }, 'conv2d/kernel'],
  [model, { panel: 'operations' }, 'Conv2D'],
  ['nothing/', {}, 'No model was found'],
  ['whole/saved_model.pb', {}, 'This server sends whole files only'],
  ['cut/saved_model.pb', {}, 'This file is damaged'],
];

/** Once the page has not changed for a while: axe looks at it in several turns. */
const settled = `new Promise((resolve) => {
  let before = '', times = 0;
  const timer = setInterval(() => {
    const now = ${text} + document.documentElement.scrollHeight;
    times = now === before ? times + 1 : 0;
    before = now;
    if (times === 3) resolve(clearInterval(timer));
  }, 100);
})`;

const MISMATCH = 'label-content-name-mismatch';

/**
 * What axe finds. A box that the edge of the drawing cuts is no mismatch: its name says all of its text.
 *
 * @param {object} options of axe.run()
 */
const findings = (options) => `(async () => {
  const { violations } = await axe.run({ elementRef: true, ...${JSON.stringify(options)} });
  const isCut = ({ element }) => {
    const [box, edge] = [element, element.closest('svg') ?? element].map((one) => one.getBoundingClientRect());
    return box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > edge.bottom;
  };
  return violations
    .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !(id === '${MISMATCH}' && isCut(node))) }))
    .filter(({ nodes }) => nodes.length)
    .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3)
      .map(({ target, failureSummary }) => target.flat(9).join(' ') + ' ' + failureSummary).join('; '));
})()`;

/** A phone's width. */
const NARROW = 375;

test('no panel has a finding, in light or dark colours, nor is wider than a phone', async () => {
  const server = await serve({
    '/keras/saved_model.cpb': readFileSync(root + model),
    '/keras/fingerprint.pb': beside()['fingerprint.pb'] ?? new Uint8Array(),
    '/whole/saved_model.pb': large(40_000, 4),
    '/cut/saved_model.pb': readFileSync(`${root}tests/data/cpb/real_tf_keras_functional/orig.pb`).subarray(0, 20_000),
  });
  const page = await openTab('about:blank');
  /** @param {string} scheme */
  const shownIn = (scheme) =>
    page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  try {
    for (const [file, place, word] of places) {
      const url = file ? server.address(file === model ? 'keras/saved_model.cpb' : file, place) : server.base;
      const name = place.panel ?? (file || 'start');
      await shownIn('light');
      await page.send('Page.navigate', { url: 'about:blank' });
      await page.send('Page.navigate', { url });
      await page.until(`${text}.includes(${JSON.stringify(word)})`);
      if (/graph/.test(JSON.stringify(place))) await page.evaluate(settled);
      await page.evaluate(axe);
      assert.deepEqual(await page.evaluate(findings({ rules: { [MISMATCH]: { enabled: true } } })), [], name);
      await shownIn('dark');
      assert.deepEqual(await page.evaluate(findings({ runOnly: ['color-contrast'] })), [], `${name}, dark`);
      await page.send('Emulation.setDeviceMetricsOverride', {
        width: NARROW,
        height: 800,
        deviceScaleFactor: 1,
        mobile: true,
      });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), NARROW, name);
      await page.send('Emulation.clearDeviceMetricsOverride');
    }
  } finally {
    await page.close();
    server.stop();
  }
});
