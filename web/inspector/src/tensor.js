/** The values of one constant, fetched when asked for: statistics, a histogram, a picture. */
import { css, html, LitElement, nothing, svg } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { count, shape, size } from './format.js';
import { look } from './look.js';
import { failure } from './panel.js';

/** Larger ones are asked about first. */
const ASK_ABOVE = 4 * 2 ** 20;
/** No more than this is held in the page. */
const MOST = 256 * 2 ** 20;

/** @type {Record<string, (buffer: ArrayBuffer) => ArrayLike<number | bigint>>} */
const readers = {
  float32: (b) => new Float32Array(b),
  float64: (b) => new Float64Array(b),
  int8: (b) => new Int8Array(b),
  uint8: (b) => new Uint8Array(b),
  int16: (b) => new Int16Array(b),
  uint16: (b) => new Uint16Array(b),
  int32: (b) => new Int32Array(b),
  uint32: (b) => new Uint32Array(b),
  int64: (b) => new BigInt64Array(b),
  uint64: (b) => new BigUint64Array(b),
  bool: (b) => new Uint8Array(b),
  float16: (b) => Float32Array.from(new Uint16Array(b), half),
  bfloat16: (b) => new Float32Array(Uint32Array.from(new Uint16Array(b), (bits) => bits << 16).buffer),
};

/** What NumPy calls the types above. @type {Record<string, string>} */
const numpy = {
  '<f4': 'float32', '<f8': 'float64', '|i1': 'int8', '|u1': 'uint8', '<i2': 'int16', '<u2': 'uint16', '<i4': 'int32',
  '<u4': 'uint32', '<i8': 'int64', '<u8': 'uint64', '|b1': 'bool', '<f2': 'float16', '|V2': 'bfloat16',
};

/** @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

class CpbTensor extends LitElement {
  static properties = { session: { attribute: false }, tensor: { attribute: false }, state: { state: true } };
  static styles = [
    look,
    css`
      section { border: 1px solid var(--line); background: var(--panel); border-radius: 10px; padding: .6rem 1rem; margin: .75rem 0; }
      svg { width: 100%; max-width: 36rem; height: 8rem; }
      svg rect { fill: var(--accent); }
      canvas { max-width: 100%; image-rendering: pixelated; border: 1px solid var(--line); }
    `,
  ];

  constructor() {
    super();
    /** @type {any} */
    this.tensor;
    /** @type {import('./session.js').Session} */
    this.session;
    /** @type {{ wait?: boolean, error?: unknown, values?: number[] }} */
    this.state = {};
    /** @type {AbortController | undefined} */
    this.reading;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('tensor')) return;
    this.reading?.abort();
    this.state = {};
    if (this.#whole && this.tensor.size <= ASK_ABOVE) void this.#read();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.reading?.abort();
  }

  async #read() {
    const { tensor } = this;
    const reading = (this.reading = new AbortController());
    this.state = { wait: true };
    try {
      const { dtype, bytes } = await this.#fetched(tensor, reading.signal);
      const read = readers[dtype];
      this.state = read
        ? { values: Array.from(read(/** @type {ArrayBuffer} */ (bytes.slice().buffer)), Number) }
        : { error: new Error(`values of type ${dtype} are not shown`) };
    } catch (error) {
      if (!reading.signal.aborted) this.state = { error };
    }
  }

  /** @param {any} tensor @param {AbortSignal} signal */
  async #fetched(tensor, signal) {
    const { model } = this.session;
    if (tensor.values) {
      const { offset, size: length } = tensor.values;
      return { dtype: tensor.dtype, bytes: await model.message.read(offset, length, { signal }) };
    }
    const values = await model.values(tensor.name, { signal });
    return { dtype: numpy[values.numpy ?? ''] ?? values.dtype, bytes: await values.bytes({ signal }) };
  }

  /** Whether its values lie in one piece. */
  get #whole() {
    return this.tensor.values || this.session.model.kind.startsWith('samediff');
  }

  render() {
    const { node, name, dtype, shape: dimensions, size: bytes } = this.tensor;
    const { wait, error, values: numbers } = this.state;
    return html`<section aria-live="polite">
      <h3><code>${node ?? name}</code> <span class="dim">${dtype}${shape(dimensions)}, ${size(bytes)}</span></h3>
      ${!this.#whole ? html`<p class="dim">Its values are not stored as one piece.</p>` : nothing}
      ${this.#whole && !wait && !error && !numbers
        ? html`<button ?disabled=${bytes > MOST} @click=${this.#read}>Read ${size(bytes)} of values</button>`
        : nothing}
      ${wait ? html`<p role="status">Reading… <button @click=${() => (this.reading?.abort(), (this.state = {}))}>Cancel</button></p>` : nothing}
      ${error ? failure(error) : nothing}
      ${numbers ? this.shown(numbers) : nothing}
    </section>`;
  }

  /** @param {number[]} values */
  shown(values) {
    const finite = values.filter(Number.isFinite);
    const { low, high, mean, deviation } = statistics(finite);
    const said = (/** @type {number} */ n) => n.toLocaleString('en', { maximumSignificantDigits: 5 });
    return html`
      <p>${count(values.length)} values${finite.length
          ? html`: from ${said(low)} to ${said(high)}, mean ${said(mean)}, standard deviation ${said(deviation)}`
          : nothing}${finite.length < values.length ? `; ${count(values.length - finite.length)} are NaN or infinite` : ''}</p>
      ${finite.length ? histogram(finite, low, high) : nothing}
      ${this.picture(values, low, high)}
      <p class="mono dim">${values.slice(0, 16).map(said).join(', ')}${values.length > 16 ? ', …' : ''}</p>
    `;
  }

  /** Of a matrix, or of what the last two dimensions are together. @param {number[]} values @param {number} low @param {number} high */
  picture(values, low, high) {
    const width = this.tensor.shape?.at(-1) ?? 0;
    const height = Math.min(512, Math.floor(values.length / (width || 1)));
    if (width < 4 || width > 2048 || height < 4) return nothing;
    return html`<canvas width=${width} height=${height} role="img" aria-label="The values as grey levels" ${drawn(values, low, high)}></canvas>`;
  }
}

/** @param {number[]} values */
function statistics(values) {
  let [low, high, sum, squares] = [Infinity, -Infinity, 0, 0];
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
    sum += v;
  }
  const mean = sum / values.length;
  for (const v of values) squares += (v - mean) ** 2;
  return { low, high, mean, deviation: Math.sqrt(squares / values.length) };
}

/** @param {number[]} values @param {number} low @param {number} high */
function histogram(values, low, high) {
  const bins = Array.from({ length: 64 }, () => 0);
  const step = (high - low || 1) / bins.length;
  for (const v of values) bins[Math.min(bins.length - 1, Math.floor((v - low) / step))]++;
  const most = Math.max(...bins);
  return html`<svg viewBox="0 0 64 20" preserveAspectRatio="none" role="img" aria-label="Histogram of the values">
    ${bins.map((n, i) => svg`<rect x=${i + 0.05} y=${20 - (20 * n) / most} width="0.9" height=${(20 * n) / most}></rect>`)}
  </svg>`;
}

/** @param {number[]} values @param {number} low @param {number} high */
const drawn = (values, low, high) =>
  ref((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) return;
    const { width, height } = canvas;
    const context = canvas.getContext('2d');
    const image = context?.createImageData(width, height);
    if (!context || !image) return;
    for (let i = 0; i < width * height; i++) {
      const level = (255 * ((values[i] ?? low) - low)) / (high - low || 1);
      image.data.set([level, level, level, 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
  });

customElements.define('cpb-tensor', CpbTensor);
