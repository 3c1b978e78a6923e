/** Summarizes one array, or a slice of it, fetched on request: statistics, a histogram, a picture; and saves it. */
import { css, html, nothing, svg } from 'lit';
import { tensorOf } from './answers.js';
import { brief, count, percent, plain, size, told } from './format.js';
import { isExported } from './model/kinds.js';
import { failure, Panel } from './panel.js';
import { canSave, fileName, newFile } from './saving.js';
import { waiting } from './progress.js';

/** Larger ones are read only after a question. */
const ASK_ABOVE = 4 * 2 ** 20;
/** The most bytes of a part that is shown, and of the array that the worker keeps (model/arrays.js). */
const [MOST, KEPT] = [256 * 2 ** 20, 32 * 2 ** 20];

/** Ranges along an axis; more are put together. */
const CHANNELS = 256;

/** The files that an array is saved as. */
const FORMS = ['npy', 'csv'];

/** Whole numbers as they are, others shortened. @param {number} n */
const number = (n) =>
  n !== 0 && Math.abs(n) < 1e-4
    ? n.toExponential(4)
    : n.toLocaleString('en', Number.isSafeInteger(n) ? {} : { maximumSignificantDigits: 5 });

/** @import { Variable } from './answers.js' */
/** @import { Statistics } from 'libcpb/inspect/answers.js' */

class CpbTensor extends Panel {
  static properties = {
    ...Panel.properties,
    tensor: { attribute: false },
    wanted: { state: true },
    slice: { state: true },
    real: { state: true },
    axis: { state: true },
    saving: { state: true },
    note: { state: true },
  };
  static styles = [
    ...Panel.styles,
    css`
      section {
        padding: 0.9rem 1.1rem;
        margin: 1rem 0;
      }
      h3 {
        margin-top: 0;
      }
      dl.bar {
        gap: 0.3rem 1.8rem;
        margin: 0.5rem 0 0.9rem;
      }
      dd {
        margin: 0;
        font-weight: 600;
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
        display: flex;
        justify-content: space-between;
      }
      svg,
      canvas {
        width: 100%;
        height: 9rem;
        display: block;
        border-bottom: 1px solid var(--line);
      }
      svg rect {
        fill: var(--accent);
      }
      canvas {
        object-fit: fill;
        image-rendering: pixelated;
      }
      .bar input[type='text'] {
        width: 9rem;
        font-family: var(--mono);
      }
      .value {
        font-size: 1.25rem;
        font-weight: 650;
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
    this.wanted = false;
    this.#reset();
  }

  #reset() {
    /** the part that is shown, as NumPy writes it; '' for all */
    this.slice = '';
    /** whether quantized values are shown as the ones that they stand for */
    this.real = false;
    /** @type {number | undefined} the dimension whose ranges are shown */
    this.axis = undefined;
    /** @type {AbortController | undefined} of the file that is being written */
    this.saving = undefined;
    this.note = '';
  }

  #values = this.asking(
    async ([session, , wanted], { signal }) =>
      wanted ? session.look('values', { ...this.#what, axis: this.#axis, signal }) : undefined,
    () => [this.tensor, this.wanted, this.slice, this.real, this.axis],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('tensor')) return;
    this.saving?.abort();
    this.#reset();
    this.wanted = this.#readable && this.tensor.size <= ASK_ABOVE;
  }

  /** Draws the picture. */
  updated() {
    const { picture } = this.#values.value ?? {};
    if (!picture) return;
    const data = new ImageData(/** @type {any} */ (picture.pixels), picture.width, picture.height);
    this.renderRoot.querySelector('canvas')?.getContext('2d')?.putImageData(data, 0, 0);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.saving?.abort();
  }

  /** The part to show and to save. */
  get #what() {
    const { tensor, slice, real } = this;
    return { tensor, ...(slice && { slice }), ...(real && { real }) };
  }

  /** Exporters have the output channels first, TensorFlow has them last. */
  get #axis() {
    return this.axis ?? (isExported(this.session.about.kind) ? 0 : undefined);
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
    if (!this.wanted) return html`${this.#tools()}${this.#question(bytes)}`;
    return html`${this.#tools()}
    ${this.#values.render({
      pending: () => waiting(this.session, () => (this.#values.abort(), (this.wanted = false))),
      complete: (values) => (values ? this.shown(values) : nothing),
      error: (error) => failure(error, () => this.#values.run()),
    })}`;
  }

  /** Before many bytes are read. @param {number} bytes */
  #question(bytes) {
    return bytes > MOST
      ? html`<p class="dim">Too large to show as a whole. A slice reads no further than its last element.</p>`
      : html`<button class="main" @click=${() => (this.wanted = true)}>Read ${size(bytes)} of values</button>
          <p class="dim small">A slice reads no further than its last element.</p>`;
  }

  /** Parts, and files. */
  #tools() {
    const { dtype, shape: dimensions, size: bytes } = this.tensor;
    const isText = /^(string|utf8)/i.test(dtype ?? '');
    const reads = !this.wanted || bytes > KEPT ? ` (reads ${size(bytes)})` : '';
    return html`<form class="bar" @submit=${this.#cut}>
        ${
          isText || !dimensions?.length
            ? nothing
            : html`<label
                >Slice
                <input
                  type="text"
                  name="slice"
                  aria-label="Slice"
                  spellcheck="false"
                  autocomplete="off"
                  placeholder="[0, :, 3]"
                  .value=${this.slice}
              /></label>`
        }
        ${this.#values.value?.scales ? this.#realChoice(this.#values.value.scales) : nothing}
        ${
          canSave(bytes ?? 0)
            ? FORMS.map(
                (form) =>
                  html`<button
                    type="button"
                    ?disabled=${!!this.saving || (isText && form !== 'npy')}
                    @click=${() => this.#save(form)}
                  >
                    Save .${form}
                  </button>`,
              )
            : html`<span class="dim small">To save it: <code>cpb extract</code></span>`
        }
        ${isText ? nothing : html`<button type="button" ?disabled=${!!this.saving || !this.wanted} @click=${this.#copy}>Copy</button>`}
        <span class="dim small" role="status">${reads}${this.note}</span>
      </form>
      ${this.saving ? waiting(this.session, () => this.saving?.abort(), 'Saving…') : nothing}`;
  }

  /** @param {{ by: string, scale: string, zero?: string }} scales */
  #realChoice({ by, scale, zero }) {
    return html`<label title=${plain(`by ${by}`)}
      ><input type="checkbox" .checked=${this.real} @change=${() => (this.real = !this.real)} /> Real values
      <span class="dim small"
        >scale <code>${plain(scale)}</code>${zero ? html`, zero point <code>${plain(zero)}</code>` : nothing}</span
      ></label
    >`;
  }

  /** @param {SubmitEvent} event */
  #cut(event) {
    event.preventDefault();
    this.slice = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get('slice') ?? '').trim();
    this.axis = undefined;
    this.wanted ||= !!this.slice;
  }

  /** @param {string} form */
  async #save(form) {
    const { node, name = node, size: bytes } = this.tensor;
    await this.#writing(async (signal) => {
      const file = await newFile(fileName(`${name}${this.slice}`, form), bytes);
      try {
        await this.session.save({ ...this.#what, form }, file.write.bind(file), signal);
        await file.close();
      } catch (error) {
        await file.abort();
        throw error;
      }
    });
  }

  async #copy() {
    /** @type {BlobPart[]} */
    const pieces = [];
    await this.#writing(async (signal) => {
      await this.session.save({ ...this.#what, form: 'list' }, (piece) => pieces.push(piece), signal);
      await navigator.clipboard.writeText(await new Blob(pieces).text());
      this.note = 'Copied.';
    });
  }

  /** @param {(signal: AbortSignal) => Promise<void>} act */
  async #writing(act) {
    const saving = (this.saving = new AbortController());
    this.note = '';
    try {
      await act(saving.signal);
    } catch (error) {
      const { name, message } = /** @type {any} */ (error);
      if (name !== 'AbortError') this.note = `Not saved: ${told(message)}`;
    } finally {
      if (this.saving === saving) this.saving = undefined;
    }
  }

  /** @param {import('./model/values.js').Shown} values */
  shown(values) {
    if (values.texts) return texts(values.texts, values.count);
    const { statistics } = values;
    if (!statistics?.numbers) return nothing;
    if (values.count === 1) return html`<p class="value">${number(Number(statistics.first[0]))}</p>`;
    return this.numbers(values, statistics, statistics.numbers);
  }

  /**
   * @param {import('./model/values.js').Shown} values @param {Statistics} statistics
   * @param {NonNullable<Statistics['numbers']>} numbers
   */
  numbers({ count: all, shape: dimensions, picture }, { first, parts }, numbers) {
    const { finite, zeros, nan, infinite, histogram: bars, magnitudes } = numbers;
    const about = [numbers.minimum, numbers.maximum, numbers.mean, numbers.deviation];
    const [low = NaN, high = NaN, mean = NaN, deviation = NaN] = about.map(Number);
    const firsts = first.map((one) => number(Number(one)));
    const pair = (/** @type {string} */ name, /** @type {unknown} */ value) =>
      html`<div>
        <dt class="dim small">${name}</dt>
        <dd>${value}</dd>
      </div>`;
    const share = (/** @type {number} */ n) => html`${count(n)} <span class="dim small">${percent(n, all)}</span>`;
    return html`
      <dl class="bar">
        ${pair(magnitudes ? 'Absolute values' : 'Values', count(all))}
        ${finite ? [pair('Smallest', number(low)), pair('Largest', number(high)), pair('Mean', number(mean)), pair('Standard deviation', number(deviation))] : nothing}
        ${pair('Zeros', share(zeros))} ${nan ? pair('NaN', share(nan)) : nothing}
        ${infinite ? pair('Infinite', share(infinite)) : nothing}
      </dl>
      <div class="views">
        ${bars ? histogram(bars) : nothing} ${parts && finite ? this.#ranges(dimensions, parts, [low, high]) : nothing}
        ${picture ? pictured(picture) : nothing}
      </div>
      <p class="mono dim">${firsts.join(', ')}${all > first.length ? ', …' : ''}</p>
    `;
  }

  /**
   * The range of values at each index of a dimension, or at several.
   *
   * @param {number[]} dimensions @param {NonNullable<Statistics['parts']>} parts @param {number[]} of all values
   */
  #ranges(dimensions, parts, [low = 0, high = 0]) {
    const { axis, count: all } = parts;
    const { each, ranges } = joined(parts);
    const scale = 100 / (high - low || 1);
    const y = (/** @type {number} */ value) => 100 - (value - low) * scale;
    return html`<figure>
      <svg
        viewBox="0 0 ${ranges.length} 100"
        preserveAspectRatio="none"
        role="img"
        aria-label="Smallest and largest value at each index"
      >
        ${ranges.map((range, i) => {
          if (!range) return nothing;
          const [least, most] = range;
          return svg`<rect x=${i + 0.1} y=${y(most)} width="0.8" height=${Math.max(0.7, y(least) - y(most))}><title>${i * each}${each > 1 ? ` to ${Math.min(all, (i + 1) * each) - 1}` : ''}: ${number(least)} to ${number(most)}</title></rect>`;
        })}
      </svg>
      <figcaption class="dim small">
        <label
          >Ranges along
          <select @change=${(/** @type {any} */ { target }) => (this.axis = Number(target.value))}>
            ${dimensions.map((n, i) => (n > 1 ? html`<option value=${i} ?selected=${i === axis}>dimension ${i} of ${count(n)}</option>` : nothing))}
          </select></label
        >
        <span>${number(low)} to ${number(high)}</span>
      </figcaption>
    </figure>`;
  }
}

/** @param {NonNullable<import('./model/values.js').Shown['picture']>} picture */
const pictured = (picture) =>
  html`<figure>
    <canvas
      class=${square(picture) ? 'square' : ''}
      width=${picture.width}
      height=${picture.height}
      role="img"
      aria-label="The values as grey levels"
    ></canvas>
    <figcaption class="dim small"><span>${picture.height} × ${picture.width} as grey levels</span></figcaption>
  </figure>`;

/** @param {string[]} list @param {number} all */
const texts = (list, all) =>
  html`<ol class="texts" start="0" tabindex=${list.length > 10 ? 0 : nothing} aria-label="The texts">
      ${list.map((one) => html`<li><code>${plain(one) || html`<span class="dim">empty</span>`}</code></li>`)}
    </ol>
    ${all > list.length ? html`<p class="dim small">The first ${count(list.length)} of ${count(all)} texts.</p>` : nothing}`;

/**
 * Not more ranges than can be told apart.
 *
 * @param {NonNullable<Statistics['parts']>} parts @returns {{ each: number, ranges: ([number, number] | undefined)[] }}
 */
function joined({ each, ranges }) {
  const by = Math.ceil(ranges.length / CHANNELS);
  const groups = Array.from({ length: Math.ceil(ranges.length / by) }, (_, i) => {
    const some = ranges.slice(i * by, (i + 1) * by).filter((one) => one !== null);
    if (!some.length) return undefined;
    const [lows, highs] = [0, 1].map((end) => some.map((one) => Number(one[end])));
    return /** @type {[number, number]} */ ([Math.min(...(lows ?? [])), Math.max(...(highs ?? []))]);
  });
  return { each: each * by, ranges: groups };
}

/** @param {import('libcpb/inspect/answers.js').Histogram} histogram */
function histogram({ low, step, counts: bars }) {
  const most = Math.max(...bars);
  return html`<figure>
    <svg viewBox="0 0 ${bars.length} 20" preserveAspectRatio="none" role="img" aria-label="Histogram of the values">
      ${bars.map((n, i) => svg`<rect x=${i + 0.08} y=${20 - (20 * n) / most} width="0.84" height=${(20 * n) / most}></rect>`)}
    </svg>
    <figcaption class="dim small">
      <span>${number(low)}</span><span>${number(low + step * bars.length)}</span>
    </figcaption>
  </figure>`;
}

/**
 * Whether its pixels are to be squares: one that is very narrow is stretched.
 *
 * @param {{ width: number, height: number }} picture
 */
const square = ({ width, height }) => width > height / 4 && height > width / 8;

customElements.define('cpb-tensor', CpbTensor);

/**
 * The values of a variable or constant, if they are here.
 *
 * @param {import('./session.js').Session} session @param {Variable} one
 */
export function valuesOf(session, one) {
  const tensor = tensorOf(one);
  return tensor
    ? html`<cpb-tensor .session=${session} .tensor=${tensor}></cpb-tensor>`
    : html`<p>
        <code>${plain(one.name)}</code> <span class="type">${brief(one)}</span>: its value is in a file beside the model
        that is not available here.
      </p>`;
}
