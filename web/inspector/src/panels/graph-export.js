/** A drawing as a file: SVG that needs no stylesheet, or PNG. */

const SVG = 'http://www.w3.org/2000/svg';
/** Left free around the drawing, and above it for its title. */
const [MARGIN, TITLE] = [12, 26];
/** The limits of browsers' drawings: a side, and the number of pixels. */
const [SIDE, PIXELS] = [16_000, 100_000_000];

/** The properties that stylesheets give to a shape or a text, and their initial values. */
const shape = {
  fill: 'rgb(0, 0, 0)',
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-opacity': '1',
  'stroke-width': '1px',
  'stroke-dasharray': 'none',
};
const text = { fill: '', 'font-family': '', 'font-size': '', 'font-weight': '400', 'text-anchor': 'start' };
/** @type {Record<string, Record<string, string>>} */
const styles = { rect: { ...shape, rx: 'auto' }, path: shape, line: shape, circle: shape, text, tspan: text };

/** Other programs know attributes better than stylesheets. @param {Element} shown @param {Element} copy */
function styled(shown, copy) {
  const computed = getComputedStyle(shown);
  for (const [name, usual] of Object.entries(styles[shown.localName] ?? {})) {
    const value = computed.getPropertyValue(name);
    if (value !== usual) copy.setAttribute(name, value.replaceAll('"', "'"));
  }
  for (const { name } of [...copy.attributes])
    if (/^(class|tabindex|role|aria-.*|data-.*)$/.test(name)) copy.removeAttribute(name);
  // A light edge around letters is a text of its own below them.
  if (shown.localName !== 'text' || computed.stroke === 'none') return;
  const edge = /** @type {Element} */ (copy.cloneNode(true));
  const look = { fill: computed.stroke, stroke: computed.stroke, 'stroke-width': computed.strokeWidth };
  for (const [name, value] of Object.entries(look)) edge.setAttribute(name, value);
  edge.setAttribute('stroke-linejoin', 'round');
  copy.before(edge);
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [content] */
function element(name, attributes, content = '') {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, String(value));
  one.textContent = content;
  return one;
}

/**
 * The drawing alone, without interactive parts, under a title.
 *
 * @param {SVGSVGElement} shown @param {{ width: number, height: number }} size @param {string} title
 */
export function svgOf(shown, size, title) {
  const [width, height] = [Math.ceil(size.width + 2 * MARGIN), Math.ceil(size.height + 2 * MARGIN + TITLE)];
  const [x, y] = [-MARGIN, -MARGIN - TITLE];
  const moved = /** @type {Element} */ (shown.querySelector('.moved'));
  const copy = /** @type {Element} */ (moved.cloneNode(true));
  const copies = copy.querySelectorAll('*');
  for (const [i, one] of moved.querySelectorAll('*').entries()) styled(one, /** @type {Element} */ (copies[i]));
  for (const one of copy.querySelectorAll('title')) one.remove(); // they say what a click does
  copy.removeAttribute('transform');
  copy.removeAttribute('class');
  const page = getComputedStyle(/** @type {Element} */ (shown.parentElement));
  const font = { 'font-family': 'system-ui, sans-serif', 'font-size': '15px', 'font-weight': '600' };
  const svg = element('svg', { width, height, viewBox: `${x} ${y} ${width} ${height}` });
  svg.append(
    element('title', {}, title),
    element('rect', { x, y, width, height, fill: page.backgroundColor }),
    element('text', { x: 0, y: -MARGIN, fill: page.color, ...font }, title),
    copy,
  );
  const comments = /<!--.*?-->/gs; // lit's
  return { text: new XMLSerializer().serializeToString(svg).replace(comments, ''), width, height };
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
