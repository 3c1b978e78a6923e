/**
 * node pictures.js [NAME...]: pictures of the page as it is built from the sources, into
 * build/pictures: on a wide screen, on a narrow one and on a phone, each light and dark. They are
 * to be looked at. `python tests/support/models.py` makes the models; `front`, the README's, is tf_keras's
 * `applications.ResNet152`, saved as build/models/resnet152. docs/inspector has three of them.
 */
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from '../test/runtimes/files.js';
import { openPage } from '../test/support/chromium.js';
import { click, found, serve, text } from '../test/support/inspector.js';
import { small } from '../test/support/onnx.js';
import { large } from '../test/support/savedmodels.js';

/** Comes with the tests' packages. */
const sharp = createRequire(new URL('../test/package.json', import.meta.url))('sharp');

const keras = 'models/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const frozen = 'built/mobilenet/saved_model.pb';
const mobilenet = 'built/facts_tfk_small/saved_model.pb'; // a MobileNetV2
const inner = '__inference__wrapped_model_852';

/** @type {Record<string, [model: string, place: Record<string, string>, word: string]>} */
const pictures = {
  start: ['', {}, 'Drop a model'],
  front: ['built/resnet152/saved_model.pb', {}, 'serving_default'],
  overview: [mobilenet, {}, 'serving_default'],
  graph: [mobilenet, { panel: 'graph' }, 'nodes'],
  node: [keras, { panel: 'graph', at: inner, node: 'model/conv2d/BiasAdd' }, 'Used by'],
  signatures: [keras, { panel: 'signatures' }, 'conv2d/kernel'],
  layers: [mobilenet, { panel: 'layers' }, 'Parameters'],
  variables: [mobilenet, { panel: 'variables' }, 'predictions/kernel'],
  operations: [mobilenet, { panel: 'operations' }, 'Conv2D'],
  functions: [keras, { panel: 'functions' }, inner],
  function: [keras, { panel: 'functions', at: inner }, 'Called by'],
  objects: [keras, { panel: 'objects' }, 'Children'],
  bytes: [frozen, { panel: 'bytes' }, 'constants'],
  tensor: [mobilenet, { panel: 'variables', at: 'Conv_1/kernel' }, 'Standard deviation'],
  file: [frozen, { panel: 'bytes' }, 'constants'],
  search: [keras, { panel: 'search', at: 'kernel' }, 'kernel'],
  compare: [
    'built/facts_k3_small/saved_model.pb',
    { panel: 'compare', at: '/built/facts_tfk_small/saved_model.pb' },
    'differ',
  ],
  samediff: ['models/samediff_small/minimal.zip', {}, 'tag'],
  onnx: ['onnx/model.onnx', { panel: 'graph', node: '/layer.0/Conv' }, 'Used by'],
  folder: ['nothing/', {}, 'No model was found'],
  whole: ['whole/saved_model.pb', {}, 'This server sends whole files only'],
  damaged: ['cut/saved_model.pb', {}, 'This file is damaged'],
};

/** @type {Record<string, { width: number, height: number, scheme: string }>} */
const looks = {
  '': { width: 1440, height: 860, scheme: 'light' },
  '-dark': { width: 1440, height: 860, scheme: 'dark' },
  '-1024': { width: 1024, height: 720, scheme: 'light' },
  '-1024-dark': { width: 1024, height: 720, scheme: 'dark' },
  '-phone': { width: 390, height: 780, scheme: 'light' },
  '-phone-dark': { width: 390, height: 780, scheme: 'dark' },
};

/** As few as keep text readable. */
const COLOURS = 40;

mkdirSync(`${root}build/pictures`, { recursive: true });
const server = await serve({
  '/onnx/model.onnx': small(),
  '/whole/saved_model.pb': large(40_000, 4),
  '/cut/saved_model.pb': readFileSync(`${root}tests/data/cpb/real_tf_keras_functional/orig.pb`).subarray(0, 20_000),
});
const page = await openPage('about:blank');
for (const [name, [model, place, word]] of Object.entries(pictures)) {
  if (process.argv.length > 2 ? !process.argv.includes(name) : name === 'front') continue;
  for (const [look, { width, height, scheme }] of Object.entries(looks)) {
    await page.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: look.startsWith('-phone'),
    });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await page.send('Page.navigate', { url: 'about:blank' });
    await page.send('Page.navigate', { url: model ? server.address(model, place) : server.base });
    await page.until(`${text}.includes(${JSON.stringify(word)})`);
    if (name === 'file') await page.evaluate(click('File'));
    if (name === 'tensor') await page.evaluate(`${found('cpb-tensor')}.scrollIntoView()`);
    await page.until(`!${found('cpb-progress')}`);
    await new Promise((resolve) => setTimeout(resolve, 600));
    // The server's port is another each time.
    const shown = model && `https://models.example/${model.split('/').slice(-2).join('/')}`;
    await page.evaluate(`${found('input[name=url]')}.value = ${JSON.stringify(shown)}`);
    const { data } = await page.send('Page.captureScreenshot', { format: 'png' });
    const small = await sharp(Buffer.from(data, 'base64')).png({ palette: true, colours: COLOURS }).toBuffer();
    writeFileSync(`${root}build/pictures/${name}${look}.png`, small);
  }
}
await page.close();
server.stop();
