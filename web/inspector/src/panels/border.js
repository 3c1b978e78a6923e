/** <cpb-border>: the border between two parts, which can be moved. The second part is beside the first, or below it where
 * there is little room: then their parent has the class `below`. Its --part is the size of the second one. */

/** The least and the most of the second part, a step of a key, and its height at first, in percent. */
const [LEAST, MOST, STEP, BELOW] = [15, 80, 3, 45];
/** In pixels: the second part is so wide at first, and it lies beside the first one if both together are so wide. */
const [BESIDE, WIDE] = [350, 760];

/** Keeps it for this tab of the browser. @param {string} key @param {string} [value] */
function kept(key, value) {
  try {
    if (value) sessionStorage.setItem(key, value);
    return sessionStorage.getItem(key);
  } catch {
    return null; // The browser does not allow it.
  }
}

/** What keys do to the second part's size. @type {Record<string, (percent: number) => number>} */
const keys = {
  ArrowLeft: (percent) => percent + STEP,
  ArrowUp: (percent) => percent + STEP,
  ArrowRight: (percent) => percent - STEP,
  ArrowDown: (percent) => percent - STEP,
  Home: () => LEAST,
  End: () => MOST,
};

class Border extends HTMLElement {
  #watch = new ResizeObserver(() => this.#show());

  constructor() {
    super();
    this.addEventListener('keydown', this.#onKey);
    this.addEventListener('pointerdown', this.#onDown);
    this.addEventListener('pointermove', this.#onMove);
  }

  connectedCallback() {
    const attributes = { role: 'separator', tabindex: 0, 'aria-label': 'Size of the details' };
    const range = { 'aria-valuemin': LEAST, 'aria-valuemax': MOST };
    for (const [name, value] of Object.entries({ ...attributes, ...range })) this.setAttribute(name, String(value));
    this.#show();
    this.#watch.observe(this.#both);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
  }

  get #both() {
    return /** @type {HTMLElement} */ (this.parentElement);
  }

  get #isBelow() {
    return this.#both.clientWidth < WIDE;
  }

  /** The size of the second part, in percent. */
  get #part() {
    const first = this.#isBelow ? BELOW : Math.round((100 * BESIDE) / this.#both.clientWidth);
    return Number(kept(this.#key) ?? first);
  }

  get #key() {
    return this.#isBelow ? 'cpb-below' : 'cpb-beside';
  }

  #show(part = this.#part) {
    this.setAttribute('aria-valuenow', String(part));
    this.setAttribute('aria-orientation', this.#isBelow ? 'horizontal' : 'vertical');
    this.#both.style.setProperty('--part', `${part}%`);
    this.#both.classList.toggle('below', this.#isBelow);
  }

  /** @param {number} percent */
  #resize(percent) {
    const part = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
    kept(this.#key, String(part));
    this.#show(part);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const change = keys[event.key];
    if (!change) return;
    event.preventDefault();
    this.#resize(change(Number(this.ariaValueNow)));
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    event.preventDefault();
    this.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #onMove({ pointerId, clientX, clientY }) {
    if (!this.hasPointerCapture(pointerId)) return;
    const { right, bottom, width, height } = this.#both.getBoundingClientRect();
    this.#resize(100 * (this.#isBelow ? (bottom - clientY) / height : (right - clientX) / width));
  }
}

customElements.define('cpb-border', Border);
