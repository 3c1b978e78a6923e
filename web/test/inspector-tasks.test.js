/** Ten things that people want of a model, each from a fresh tab, with the clicks counted: three at most. */
// runtimes: chromium, firefox, webkit
import { all, choose, named, textOf, until } from './support/inside.js';
import { assert, base, data, test } from './support/test.js';

const page = `${base}/build/inspector/index.html`;
const folder = 'tests/data/cpb/real_tf_keras_functional';
const model = `${folder}/max20000_zstd.cpb`;
const MOST = 3;

/** A tab, and how it is used. */
class Tab {
  clicks = 0;
  #frame = document.createElement('iframe');

  /** @param {string} address */
  async open(address = page) {
    Object.assign(this.#frame, { width: 1100, height: 700, src: address });
    document.body.append(this.#frame);
    await until(
      () => all(this.document, 'cpb-inspector')[0]?.shadowRoot?.childElementCount,
      () => 'the page',
    );
    return this;
  }

  get document() {
    return /** @type {Document} */ (this.#frame.contentDocument);
  }

  get address() {
    return String(this.#frame.contentWindow?.location.href);
  }

  get #text() {
    return textOf(this.document.body).replace(/\s+/g, ' ');
  }

  /** Waits for texts. @param {...(string | RegExp)} words */
  async says(...words) {
    const missing = () =>
      words.filter((word) => !(word instanceof RegExp ? word.test(this.#text) : this.#text.includes(word)));
    await until(
      () => !missing().length,
      () => `${missing()} in ${this.#text.slice(0, 1500)}`,
    );
  }

  /** A button, link, tab or box with this name. @param {string} name @param {string} [within] */
  async click(name, within = 'button, [role=button], [role=tab]') {
    const found = await until(
      () => named(this.document, name, within),
      () => `a button ${name} in ${this.#text.slice(0, 1500)}`,
    );
    this.clicks++;
    found.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
  }

  /**
   * Types it into the field, and presses Enter.
   *
   * @param {string} label @param {string} text @param {string} [wait] for before Enter
   */
  async type(label, text, wait) {
    const field = await until(
      () => named(this.document, label, 'input'),
      () => `a field ${label}`,
    );
    field.focus();
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    if (wait)
      await until(
        () => all(this.document, '[role=option][aria-selected=true]').find((one) => textOf(one).includes(wait)),
        () => wait,
      );
    const isHandled = !field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true }),
    );
    if (!isHandled) field.form?.requestSubmit();
  }

  /** Chooses files in the dialog of a button. @param {string} label @param {File[]} files */
  async choose(label, files) {
    const input = await until(
      () => named(this.document, label, 'input[type=file]'),
      () => label,
    );
    this.clicks++;
    choose(input, files);
  }

  close() {
    this.#frame.remove();
  }
}

/** What a tab downloads: the next file. @param {Tab} tab @returns {Promise<Response>} */
const downloaded = ({ document }) =>
  new Promise((resolve, reject) => {
    const { HTMLAnchorElement, fetch } = /** @type {any} */ (document.defaultView);
    HTMLAnchorElement.prototype.click = function () {
      fetch(this.href).then(resolve, reject);
    };
  });

/**
 * @param {string} what
 * @param {number} clicks that it takes
 * @param {(tab: Tab) => Promise<unknown>} act
 */
const task = (what, clicks, act) =>
  test(`${what}: ${clicks} clicks`, async () => {
    const tab = new Tab();
    try {
      await tab.open();
      await act(tab);
      assert.equal(tab.clicks, clicks);
      assert.ok(clicks <= MOST);
    } finally {
      tab.close();
    }
  });

/** Opens a model of the server. @param {Tab} tab @param {string} path */
const byAddress = (tab, path = model) => tab.type('URL of a model', `${base}/${path}`);

/** The model with what lies beside it, as a reader has them in a folder. */
async function files() {
  const beside = ['keras_metadata.pb', 'variables/variables.index', 'variables/variables.data-00000-of-00001'];
  const path = (/** @type {string} */ name) => `${folder}/model/${name}`;
  return [
    new File([await data(model)], 'saved_model.cpb'),
    ...(await Promise.all(
      beside.map(async (name) => new File([await data(path(name))], String(name.split('/').pop()))),
    )),
  ];
}

task('the input shape', 0, async (tab) => {
  await byAddress(tab);
  await tab.says('img f32[?,12,12,1]');
});

task('the parameters of a layer', 2, async (tab) => {
  await tab.choose('Open a folder', await files());
  await tab.click('Layers');
  await tab.says(/conv2d Conv2D .{0,80}\b40\b/);
});

task('the largest weight, and its histogram', 2, async (tab) => {
  await tab.choose('Open a folder', await files());
  await tab.says('Largest weights');
  await tab.click('a/kernel');
  await tab.says('Standard deviation');
  assert.ok(all(tab.document, 'svg rect').length > 10, 'bars');
});

task('a row of the largest weight, saved as .npy', 3, async (tab) => {
  await tab.choose('Open a folder', await files());
  await tab.says('Largest weights');
  await tab.click('a/kernel');
  await tab.says('Values 2,000', 'Zeros');
  await tab.type('Slice', '[7, ::2]');
  await tab.says('Values 3 ');
  const saved = downloaded(tab);
  await tab.click('Save .npy');
  const file = new Uint8Array(await (await saved).arrayBuffer());
  assert.match(
    String.fromCharCode(...file),
    /^.NUMPY..v.{'descr': '<f4', 'fortran_order': False, 'shape': \(3,\), } +\n.{12}$/s,
  );
});

task('which function a signature calls', 1, async (tab) => {
  await byAddress(tab);
  await tab.click('Signatures');
  await tab.says('serving_default', '__inference__wrapped_model_852');
});

task('who uses a node', 1, async (tab) => {
  await byAddress(tab);
  await tab.click('Graph');
  await tab.type('Find a node, layer or variable', 'conv2d/Relu', 'conv2d/Relu');
  await tab.says('Used by', 'model/flatten/Reshape');
});

task('a custom operation', 2, async (tab) => {
  const bytes = await data('tests/data/cpb/real_tf_module/orig.pb');
  const [known, custom] = ['StringLength', 'CustomLength'].map((name) => new TextEncoder().encode(name));
  for (let at = 0; at < bytes.length; at++)
    if (known?.every((byte, i) => bytes[at + i] === byte)) bytes.set(custom ?? [], at);
  await tab.choose('Open a file', [new File([bytes], 'saved_model.pb')]);
  await tab.click('Operations');
  await tab.says('1 custom operation', 'does not have: CustomLength');
});

task('what two models differ in, and where in their graphs', 3, async (tab) => {
  await byAddress(tab, 'tests/data/cpb/real_tf_module/orig.pb');
  await tab.click('Compare');
  await tab.type('Address of the other model', `${base}/tests/data/cpb/real_keras_export/orig.pb`);
  await tab.says('They differ', 'signatures', 'only in the other');
  await tab.click('Show both graphs');
  await tab.click('Next difference');
  await tab.says(/\b1 of \d+/, /[−+~] (only here|changed)/);
});

task('a node is shared by a link', 1, async (tab) => {
  await byAddress(tab);
  await tab.click('Graph');
  await tab.type('Find a node, layer or variable', 'conv2d/Relu', 'conv2d/Relu');
  await tab.says('Used by');
  const other = await new Tab().open(tab.address);
  try {
    await other.says('model/conv2d/Relu', 'Used by', 'model/flatten/Reshape');
  } finally {
    other.close();
  }
});

task('the graph is saved as SVG', 2, async (tab) => {
  await byAddress(tab);
  await tab.click('Graph');
  await until(
    () => all(tab.document, 'svg.window g').length > 3,
    () => 'the drawing',
  );
  const saved = downloaded(tab);
  await tab.click('SVG');
  assert.match(await (await saved).text(), /^<svg[^>]*>[\s\S]*img[\s\S]*<\/svg>/);
});

task('the bytes of a chunk', 2, async (tab) => {
  await byAddress(tab);
  await tab.click('File');
  await tab.click('2');
  await tab.says('Chunk 2', /000000 [\da-f]{2} [\da-f]{2} /);
});
