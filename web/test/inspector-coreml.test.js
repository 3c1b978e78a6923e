/** Core ML models on the page, in Chromium: the panels, values in the file of weights, a network. */
// runtimes: node
import { all, found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { network, small, weights } from './support/coreml.js';
import { assert, test } from './support/test.js';

const files = {
  '/m.mlmodel': small(),
  '/weights/weight.bin': weights(),
  '/network.mlmodel': network(),
  '/custom.mlmodel': network(
    [
      [
        1,
        [
          [1, 'norm'],
          [500, [[10, 'GroupNorm']]],
        ],
      ],
      [5, 1],
    ],
    [
      [
        100,
        [
          [1, 'notes'],
          [2, 'x'.repeat(4096)],
        ],
      ],
    ],
  ),
};

const labels = `${all('svg.window g.box')}.map((one) => one.getAttribute('aria-label'))`;

test('the overview, weights, operations and functions', () =>
  withInspector(async ({ visit, says, rows }) => {
    await visit('m.mlmodel', { panel: 'overview' }, 'Core ML', 'mlProgram', 'CoreML8', 'by somebody', 'image[rgb,8x8]');
    await says('2 in 2 subgraphs', 'weights/weight.bin', 'none custom');
    await visit('m.mlmodel', { panel: 'variables', at: 'w' }, 'Standard deviation', '4.5');
    assert.deepEqual((await rows())[0]?.slice(0, 3), ['w', 'float32', '[2,4]']);
    await visit('m.mlmodel', { panel: 'layers' }, 'head');
    await visit('m.mlmodel', { panel: 'operations' }, 'Core ML has all of them');
    await visit('m.mlmodel', { panel: 'functions' }, '2 functions and subgraphs', 'y:block[0]');
  }, files));

test('custom layers by their class, settings, a long text by its size', () =>
  withInspector(async ({ visit, says }) => {
    await visit('custom.mlmodel', { panel: 'overview' }, '1 custom one', 'GroupNorm');
    await says('arrayInputShapeMapping EXACT_ARRAY_MAPPING', 'notes a text of 4 KiB');
  }, files));

test('the graph: constants in the boxes of their users, what a block takes', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit('m.mlmodel', { panel: 'graph' }, '3 nodes');
    await page.until(found('svg.window g.box'));
    const drawn = await page.evaluate(labels);
    assert.ok(drawn.includes('input x, f32[1,4]'), String(drawn));
    assert.ok(
      drawn.some((/** @type {string} */ one) => one.startsWith('open scope head, 2 nodes')),
      String(drawn),
    );
    await says('y:block[0]');
    await visit('m.mlmodel', { panel: 'graph', open: 'head' }, '3 nodes');
    await page.until(`${all('svg.window g.box')}.some((one) => /linear.*weight.*2×4/s.test(one.textContent))`);
    await visit('network.mlmodel', { panel: 'graph' }, '2 nodes');
    await page.until(found('svg.window g.box'));
    const layers = await page.evaluate(labels);
    assert.ok(
      layers.some((/** @type {string} */ one) => one.startsWith('dense, innerProduct')),
      String(layers),
    );
  }, files));
