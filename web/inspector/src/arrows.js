/**
 * Boxes of a drawing by keyboard: arrows go along edges, or to the next one in that direction; Enter and Space press.
 */

/** @type {Record<string, [x: number, y: number]>} */
const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** @param {Element} one */
function middle(one) {
  const { left, top, width, height } = one.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** Handles keys of an element that contains boxes: elements with role button.
 * @param {KeyboardEvent} event
 * @param {(box: Element, key: string) => string[]} [linked] the `data-id` of boxes that a key leads to, if there are any */
export function arrows(event, linked = () => []) {
  const box = /** @type {Element} */ (event.target);
  if (box.getAttribute('role') !== 'button') return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    box.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
    return;
  }
  const direction = directions[event.key];
  if (!direction) return;
  event.preventDefault();
  const here = middle(box);
  const all = [.../** @type {Element} */ (event.currentTarget).querySelectorAll('[role=button]')];
  const ids = linked(box, event.key);
  const next = all.filter((one) => ids.includes(one.getAttribute('data-id') ?? ''));
  const boxes = next.length ? next : all;
  let [best, least] = [box, Infinity];
  for (const one of boxes) {
    const there = middle(one);
    const along = (there.x - here.x) * direction[0] + (there.y - here.y) * direction[1];
    const aside = Math.abs((there.x - here.x) * direction[1]) + Math.abs((there.y - here.y) * direction[0]);
    if (one === box || (along < 1 && !next.length) || Math.abs(along) + 2 * aside >= least) continue;
    [best, least] = [one, Math.abs(along) + 2 * aside];
  }
  box.setAttribute('tabindex', '-1');
  best.setAttribute('tabindex', '0');
  /** @type {SVGElement} */ (best).focus();
}
