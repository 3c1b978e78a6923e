/** The inspector page, as web/inspector/build.js makes it, in a frame: for tests that any browser runs. */
import { all, named, textOf, until } from './inside.js';
import { assert, base } from './test.js';

export const page = `${base}/build/inspector/index.html`;

/**
 * @typedef {object} Frame
 * @property {Document} document of the page
 * @property {(...words: string[]) => Promise<void>} says waits for words
 * @property {(name: string) => Promise<void>} click
 */

/**
 * Opens it, and sees that nothing breaks meanwhile.
 *
 * @param {string} address @param {(at: Frame) => Promise<void>} use
 */
export async function visit(address, use) {
  const frame = document.createElement('iframe');
  Object.assign(frame, { width: 1000, height: 700, src: address });
  document.body.append(frame);
  const inside = () => /** @type {Document} */ (frame.contentDocument);
  /** @type {string[]} */
  const broken = [];
  try {
    await until(
      () => all(inside(), 'cpb-inspector')[0]?.shadowRoot?.childElementCount,
      () => 'the page',
    );
    frame.contentWindow?.addEventListener('error', (event) => broken.push(event.message));
    frame.contentWindow?.addEventListener('unhandledrejection', (event) => broken.push(String(event.reason)));
    inside().addEventListener('securitypolicyviolation', (event) => broken.push(event.violatedDirective));
    await use({
      document: inside(),
      async says(...words) {
        const shown = () => textOf(inside().body).replace(/\s+/g, ' ');
        const missing = () => words.filter((word) => !shown().includes(word));
        await until(
          () => !missing().length,
          () => `${missing()} in ${shown().slice(0, 800)}`,
        );
      },
      async click(name) {
        const find = () => named(inside(), name);
        await until(find, () => `a button ${name}`);
        find().dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
      },
    });
    assert.deepEqual(broken, []);
  } finally {
    frame.remove();
  }
}
