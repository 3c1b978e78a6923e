/** The widget of libcpb.show() in frames like those in which VS Code and Colab show the outputs of cells. */
// runtimes: chromium, firefox, webkit
import { largeModel, noise } from './support/files.js';
import { until } from './support/inside.js';
import { assert, base, data, test } from './support/test.js';

const page = data('build/inspector/inspector.html');

/** What the frame of an output may do. @type {Record<string, string>} */
const outputs = {
  'VS Code': 'allow-same-origin allow-pointer-lock allow-scripts allow-downloads allow-forms',
  Colab:
    'allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts',
};

/**
 * A kernel's side of the widget. `reads` are the ranges that the page has asked for.
 *
 * @param {Uint8Array} bytes of the model
 */
function kernelOf(bytes) {
  /** @type {[number, number][]} */
  const reads = [];
  /** @type {Set<(message: object, buffers: DataView[]) => void>} */
  const listeners = new Set();
  /** @type {Record<string, unknown>} */
  const traits = {
    height: 400,
    shown: { files: [{ path: 'saved_model.pb', size: bytes.length, lastModified: 0 }], model: 0 },
  };
  const model = {
    get: (/** @type {string} */ trait) => traits[trait],
    on: (/** @type {string} */ _, /** @type {any} */ listener) => listeners.add(listener),
    off: (/** @type {string} */ _, /** @type {any} */ listener) => listeners.delete(listener),
    async send(/** @type {any} */ { view, id, begin, end }) {
      if (id !== 0) reads.push([begin, end]);
      const answer = id === 0 ? await page : bytes.slice(begin, end);
      for (const listener of listeners) listener({ view, id }, [new DataView(answer.buffer)]);
    },
  };
  return { model, reads };
}

for (const [where, sandbox] of Object.entries(outputs)) {
  test(`the page reads the model through the kernel in ${where}`, async () => {
    const { source } = largeModel(4, 300_000, (i) => noise(300_000, i));
    const bytes = await source.read(0, (await source.stat()).size);
    const { model, reads } = kernelOf(bytes);
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', sandbox);
    frame.srcdoc = '<body></body>';
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    document.body.append(frame);
    try {
      await loaded;
      const inside = /** @type {any} */ (frame.contentWindow);
      inside.given = { model, el: inside.document.body };
      const script = inside.document.createElement('script');
      script.type = 'module';
      script.textContent = `import widget from '${base}/python/libcpb/notebook.js'; widget.render(given);`;
      inside.document.body.append(script);
      // It skips four constants, so the module has parsed what is before each.
      await until(
        () => reads.length > 3,
        () => `reads, after ${JSON.stringify(reads)}`,
      );
      const read = reads.reduce((sum, [begin, end]) => sum + end - begin, 0);
      assert.ok(read < bytes.length / 2, `${read} bytes`);
    } finally {
      frame.remove();
    }
  });
}
