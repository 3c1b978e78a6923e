/** A page in a frame, looked at from the test beside it, in any browser. */

/** @param {ParentNode} node @param {string} selector @returns {any[]} in whatever shadow they are */
export function all(node, selector) {
  const inside = [...node.querySelectorAll('*')].flatMap((one) =>
    one.shadowRoot ? all(one.shadowRoot, selector) : [],
  );
  return [...node.querySelectorAll(selector), ...inside];
}

/** All text that is shown. @param {Node} node @returns {string} */
export function textOf(node) {
  if (node.nodeType === 3) return /** @type {Text} */ (node).data;
  const element = /** @type {Element} */ (node);
  if (element.tagName === 'STYLE') return '';
  return [...(element.shadowRoot ?? element).childNodes].map(textOf).join(' ');
}

/** What `ready` gives, once it gives something. @template T @param {() => T} ready @param {() => string} what
 * @returns {Promise<NonNullable<T>>} */
export async function until(ready, what) {
  for (let tries = 0; tries < 1200; tries++) {
    const found = ready();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never: ${what()}`);
}

/** A button or box by its name. @param {ParentNode} node @param {string} name @param {string} selector */
export const named = (node, name, selector = 'button, [role=button]') =>
  all(node, selector).find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === name);

/** Chooses files, as a reader does in the dialog. @param {HTMLInputElement} input @param {File[]} files */
export function choose(input, files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  input.files = chosen.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}
