/** Summarizes one array, fetched on request: statistics, a histogram, a picture. */
import { Task } from '@lit/task';
import { css, html, LitElement, nothing, svg } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { brief, count, plain, size } from './format.js';
import { look } from './look.js';
import { failure } from './panel.js';
import './progress.js';

/** Larger ones are read only after a question. */
const ASK_ABOVE = 4 * 2 ** 20;
/** The most bytes held by the page. */
const MOST = 256 * 2 ** 20;

/** Whole numbers as they are, others shortened. @param {number} n */
const number = (n) =>
  n !== 0 && Math.abs(n) < 1e-4
    ? n.toExponential(4)
    : n.toLocaleString('en', Number.isSafeInteger(n) ? {} : { maximumSignificantDigits: 5 });

class CpbTensor extends LitElement {
  static properties = { session: { attribute: false }, tensor: { attribute: false }, wanted: { state: true } };
  static styles = [
    look,
    css`
      section {
        padding: 0.9rem 1.1rem;
        margin: 1rem 0;
      }
      h3 {
        margin-top: 0;
      }
      dl {
        display: flex;
        flex-wrap: wrap;
        gap: 0.3rem 1.8rem;
        margin: 0.5rem 0 0.9rem;
      }
      dt {
        color: var(--dim);
        font-size: 0.82rem;
      }
      dd {
        margin: 0;
        font-weight: 600;
        font-variant-numeric: tabular-nums;
      }
      .views {
        display: flex;
        flex-wrap: wrap;
        gap: 1.2rem;
        align-items: flex-start;
      }
      figure {
        margin: 0;
        flex: 1 1 18rem;
        max-width: 36rem;
      }
      figcaption {
        color: var(--dim);
        font-size: 0.82rem;
        display: flex;
        justify-content: space-between;
        font-variant-numeric: tabular-nums;
      }
      svg {
        width: 100%;
        height: 9rem;
        display: block;
        border-bottom: 1px solid var(--line);
      }
      svg rect {
        fill: var(--accent);
      }
      canvas {
        display: block;
        width: 100%;
        height: 9rem;
        object-fit: fill;
        image-rendering: pixelated;
        border-bottom: 1px solid var(--line);
      }
      .value {
        font-size: 1.25rem;
        font-weight: 650;
        font-variant-numeric: tabular-nums;
        margin: 0;
        overflow-wrap: anywhere;
      }
      .texts {
        margin: 0;
        padding-left: 3rem;
        max-height: 22rem;
        overflow: auto;
      }
      .texts li::marker {
        color: var(--dim);
        font-size: 0.8rem;
      }
      canvas.square {
        height: auto;
        max-height: 24rem;
        object-fit: contain;
        object-position: left top;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {any} */
    this.tensor;
    /** @type {import('./session.js').Session} */
    this.session;
    this.wanted = false;
  }

  #values = new Task(this, {
    task: async ([session, tensor, wanted], { signal }) =>
      wanted ? session.look('values', { tensor, signal }) : undefined,
    args: () => /** @type {const} */ ([this.session, this.tensor, this.wanted]),
  });

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('tensor')) this.wanted = this.#readable && this.tensor.size <= ASK_ABOVE;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#values.abort();
  }

  /** Whether its values can be shown. */
  get #readable() {
    return !/^(resource|variant)/i.test(this.tensor.dtype ?? '');
  }

  render() {
    const { node, name, dtype, shape: dimensions, size: bytes } = this.tensor;
    return html`<section class="box" aria-live="polite" aria-label="Values">
      <h3>
        <code>${plain(node ?? name)}</code>
        <span class="type">${brief({ dtype, shape: dimensions })}</span>
        <span class="dim small">${size(bytes)}</span>
      </h3>
      ${this.#readable ? this.#state(bytes) : html`<p class="dim">It stands for something that exists only while the model runs.</p>`}
    </section>`;
  }

  /** @param {number} bytes */
  #state(bytes) {
    if (!this.wanted)
      return bytes > MOST
        ? html`<p class="dim">Too large to show in a page: <code>cpb extract</code> writes it as .npy.</p>`
        : html`<button class="main" @click=${() => (this.wanted = true)}>Read ${size(bytes)} of values</button>`;
    return this.#values.render({
      pending: () =>
        html`<cpb-progress
          .session=${this.session}
          @cancel=${() => (this.#values.abort(), (this.wanted = false))}
        ></cpb-progress>`,
      complete: (values) => (values ? this.shown(values) : nothing),
      error: (error) => failure(error, () => this.#values.run()),
    });
  }

  /** @param {import('./model/values.js').Shown} values */
  shown(values) {
    if (values.texts) return texts(values.texts, values.count);
    if (values.count === 1) return html`<p class="value">${number(values.first[0] ?? NaN)}</p>`;
    return this.numbers(values);
  }

  /** @param {import('./model/values.js').Shown} values */
  numbers({ count: all, finite, low, high, mean, deviation, bars, first, picture, magnitudes }) {
    const pair = (/** @type {string} */ name, /** @type {unknown} */ value) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`;
    return html`
      <dl>
        ${pair(magnitudes ? 'Absolute values' : 'Values', count(all))}
        ${finite ? [pair('Smallest', number(low)), pair('Largest', number(high)), pair('Mean', number(mean)), pair('Standard deviation', number(deviation))] : nothing}
        ${finite < all ? pair('NaN or infinite', count(all - finite)) : nothing}
      </dl>
      <div class="views">
        ${bars.length ? histogram(bars, low, high) : nothing}
        ${
          picture
            ? html`<figure>
                <canvas
                  class=${square(picture) ? 'square' : ''}
                  width=${picture.width}
                  height=${picture.height}
                  role="img"
                  aria-label="The values as grey levels"
                  ${drawn(picture)}
                ></canvas>
                <figcaption><span>${picture.height} × ${picture.width} as grey levels</span></figcaption>
              </figure>`
            : nothing
        }
      </div>
      <p class="mono dim">${first.map(number).join(', ')}${all > first.length ? ', …' : ''}</p>
    `;
  }
}

/** @param {string[]} list @param {number} all */
const texts = (list, all) =>
  html`<ol class="texts" start="0" tabindex=${list.length > 10 ? 0 : nothing} aria-label="The texts">
      ${list.map((one) => html`<li><code>${plain(one) || html`<span class="dim">empty</span>`}</code></li>`)}
    </ol>
    ${all > list.length ? html`<p class="dim small">The first ${count(list.length)} of ${count(all)} texts.</p>` : nothing}`;

/** @param {number[]} bars @param {number} low @param {number} high */
function histogram(bars, low, high) {
  const most = Math.max(...bars);
  return html`<figure>
    <svg viewBox="0 0 ${bars.length} 20" preserveAspectRatio="none" role="img" aria-label="Histogram of the values">
      ${bars.map((n, i) => svg`<rect x=${i + 0.08} y=${20 - (20 * n) / most} width="0.84" height=${(20 * n) / most}></rect>`)}
    </svg>
    <figcaption><span>${number(low)}</span><span>${number(high)}</span></figcaption>
  </figure>`;
}

/** Whether its pixels are to be squares: one that is very narrow is stretched. @param {{ width: number, height: number }} picture */
const square = ({ width, height }) => width > height / 4 && height > width / 8;

/** @param {NonNullable<import('./model/values.js').Shown['picture']>} picture */
const drawn = ({ pixels, width, height }) =>
  ref((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) return;
    canvas.getContext('2d')?.putImageData(new ImageData(/** @type {any} */ (pixels), width, height), 0, 0);
  });

customElements.define('cpb-tensor', CpbTensor);
