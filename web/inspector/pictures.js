/**
 * node pictures.js [NAME...]: pictures of the page as it is built from the sources, into
 * docs/inspector: light, dark, and on a phone. They are to be looked at.
 */
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { openPage } from '../test/support/chromium.js';
import { click, found, serve, text } from '../test/support/inspector.js';

/** Comes with the tests' packages. */
const sharp = createRequire(new URL('../test/package.json', import.meta.url))('sharp');

const keras = 'models/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const layered = 'built/keras_functional/saved_model.pb';
const inner = '__inference__wrapped_model_852';

/** @type {Record<string, [model: string, place: Record<string, string>, word: string]>} */
const pictures = {
  start: ['', {}, 'Drop a model'],
  overview: [keras, {}, 'serving_default'],
  signatures: [keras, { panel: 'signatures' }, 'conv2d/kernel'],
  objects: [keras, { panel: 'objects' }, 'Children'],
  layers: [layered, { panel: 'layers' }, 'Parameters'],
  functions: [keras, { panel: 'functions' }, inner],
  function: [keras, { panel: 'functions', at: inner }, 'Called by'],
  graph: [keras, { panel: 'graph', at: inner, node: 'model/conv2d/BiasAdd' }, 'Used by'],
  bytes: ['built/frozen/saved_model.pb', { panel: 'bytes' }, 'constants'],
  tensor: [
    'models/cpb/real_frozen_conv/orig.pb',
    { panel: 'bytes', at: 'model/a/MatMul/ReadVariableOp/resource' },
    'Standard deviation',
  ],
  file: ['built/frozen/saved_model.pb', { panel: 'bytes' }, 'constants'],
  search: [keras, { panel: 'search', at: 'kernel' }, 'names'],
};

/** @type {Record<string, { width: number, height: number, scheme: string }>} */
const looks = {
  '': { width: 1200, height: 760, scheme: 'light' },
  '-dark': { width: 1200, height: 760, scheme: 'dark' },
  '-phone': { width: 390, height: 780, scheme: 'light' },
};

const server = await serve();
const page = await openPage('about:blank');
for (const [name, [model, place, word]] of Object.entries(pictures)) {
  if (process.argv.length > 2 && !process.argv.includes(name)) continue;
  for (const [look, { width, height, scheme }] of Object.entries(looks)) {
    await page.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: look === '-phone',
    });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await page.send('Page.navigate', { url: 'about:blank' });
    await page.send('Page.navigate', { url: model ? server.address(model, place) : server.base });
    await page.until(`${text}.includes(${JSON.stringify(word)})`);
    if (name === 'file') await page.evaluate(click('File'));
    if (name === 'tensor') await page.evaluate(`${found('cpb-tensor')}.scrollIntoView()`);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const { data } = await page.send('Page.captureScreenshot', { format: 'png' });
    const small = await sharp(Buffer.from(data, 'base64')).png({ palette: true, colours: 200 }).toBuffer();
    writeFileSync(new URL(`../../docs/inspector/${name}${look}.png`, import.meta.url), small);
  }
}
await page.close();
server.stop();
