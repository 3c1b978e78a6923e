/** A small map of a drawing that is much larger than its window: where the window is, and a way to another place. */
import { css, html, nothing, svg } from 'lit';

/** @import { Layout } from '../layout-worker.js' */
/** @import { Zoom } from './graph-zoom.js' */

/** The map's largest sides, and the least, in pixels. */
const [WIDE, HIGH, LEAST] = [180, 200, 40];
/** How many boxes a drawing with a map has. */
const MANY = 40;

export const mapLook = css`
  .map {
    position: absolute;
    inset: auto 0.6rem 0.6rem auto;
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 6px;
    opacity: 0.9;
    touch-action: none;
    cursor: pointer;
  }
  .map path {
    fill: var(--dim);
    stroke: none;
  }
  .map rect {
    fill: var(--accent);
    fill-opacity: 0.12;
    stroke: var(--accent);
    vector-effect: non-scaling-stroke;
  }
  @container (max-width: 40rem) {
    .map {
      display: none;
    }
  }
`;

/** Shows where the window is. @param {ParentNode} root @param {Zoom} zoom */
export function showPlace(root, zoom) {
  const { x, y, width, height } = zoom.seen;
  const place = root.querySelector('.map rect');
  for (const [name, value] of Object.entries({ x, y, width, height })) place?.setAttribute(name, value.toFixed(1));
}

/** @param {Layout & { heights: Record<string, number>, widths: Record<string, number> }} layout @param {Zoom} zoom */
export function map({ boxes, widths, heights, width, height }, zoom) {
  const all = Object.entries(boxes);
  if (all.length < MANY) return nothing;
  const scale = Math.min(WIDE / width, HIGH / height);
  const [wide, high] = [Math.max(LEAST, width * scale), Math.max(LEAST, height * scale)];
  const path = all.map(([id, { x, y }]) => {
    const [w, h] = [widths[id] ?? 0, heights[id] ?? 0];
    return `M${Math.round(x - w / 2)} ${Math.round(y - h / 2)}h${w}v${h}h${-w}z`;
  });
  const go = (/** @type {PointerEvent} */ event) => {
    if (!event.buttons) return;
    const at = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    zoom.centre(((event.clientX - at.left) / at.width) * width, ((event.clientY - at.top) / at.height) * height);
  };
  return html`<svg
    class="map"
    aria-hidden="true"
    width=${wide}
    height=${high}
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    @pointerdown=${go}
    @pointermove=${go}
  >
    ${svg`<path d=${path.join('')}></path><rect></rect>`}
  </svg>`;
}
