/** A drawing as a file: SVG with its styles in it, or PNG. */
import { COLOURS, look } from './graph-look.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Left free around the drawing. */
const MARGIN = 12;
/** The limits of browsers' drawings: a side, and the number of pixels. */
const [SIDE, PIXELS] = [16_000, 100_000_000];

/** The page's colours as they are now. @param {Element} within @returns {[name: string, value: string][]} */
function coloursIn(within) {
  const probe = within.appendChild(document.createElement('span'));
  const values = COLOURS.map((name) => {
    if (name === 'mono') return /** @type {[string, string]} */ ([name, 'ui-monospace, Menlo, Consolas, monospace']);
    probe.style.color = `var(--${name})`;
    return /** @type {[string, string]} */ ([name, getComputedStyle(probe).color]);
  });
  probe.remove();
  return values;
}

/**
 * The drawing alone, without interactive parts.
 *
 * @param {SVGSVGElement} shown
 * @param {{ width: number, height: number }} size
 */
export function svgOf(shown, { width, height }) {
  const svg = document.createElementNS(SVG, 'svg');
  const [wide, high] = [width + 2 * MARGIN, height + 2 * MARGIN].map(Math.ceil);
  svg.setAttribute('width', String(wide));
  svg.setAttribute('height', String(high));
  svg.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${wide} ${high}`);
  const colours = coloursIn(/** @type {Element} */ (shown.parentElement));
  const panel = colours.find(([name]) => name === 'panel')?.[1] ?? 'white';
  const page = svg.appendChild(document.createElementNS(SVG, 'rect'));
  for (const [name, value] of Object.entries({ x: -MARGIN, y: -MARGIN, width: wide, height: high, fill: panel }))
    page.setAttribute(name, String(value));
  for (const child of shown.querySelector('.moved')?.children ?? []) svg.append(child.cloneNode(true));
  for (const one of svg.querySelectorAll('*'))
    for (const name of ['tabindex', 'role', 'aria-pressed', 'aria-label', 'aria-hidden', 'data-id'])
      one.removeAttribute(name);
  const comments = document.createTreeWalker(svg, NodeFilter.SHOW_COMMENT);
  const gone = [];
  while (comments.nextNode()) gone.push(comments.currentNode);
  for (const one of gone) /** @type {Comment} */ (one).remove();
  // The page's policy forbids style elements, so this one is put into the text.
  const style = colours.reduce((text, [name, value]) => text.replaceAll(`var(--${name})`, value), look);
  const text = new XMLSerializer()
    .serializeToString(svg)
    .replace('>', () => `><style>${style.replaceAll('>', '&gt;')}</style>`);
  return { text, width: Number(wide), height: Number(high) };
}

/** @param {ReturnType<typeof svgOf>} drawing @returns {Promise<Blob>} */
export async function pngOf({ text, width, height }) {
  const image = new Image();
  const loaded = new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error('this browser cannot draw the SVG'));
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await loaded;
  const scale = Math.min(2, SIDE / width, SIDE / height, Math.sqrt(PIXELS / (width * height)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(width * scale);
  canvas.height = Math.floor(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large for this browser')))),
  );
}

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
