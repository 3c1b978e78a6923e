/** Moves and scales a drawing in its window: by wheel, by fingers, by dragging and by keys. */

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ x: number, y: number, width: number, height: number }} Area */

/** Possible scales, and the smallest one at which text is still readable. */
const [LEAST, MOST, READABLE] = [0.02, 4, 0.62];
/** A pointer that moved less was a click. */
const CLICK = 4;
/** Margin around a part that is brought into view. */
const MARGIN = 24;

const distance = (/** @type {Point} */ a, /** @type {Point} */ b) => Math.hypot(a.x - b.x, a.y - b.y);
const between = (/** @type {number} */ low, /** @type {number} */ n, /** @type {number} */ high) =>
  Math.min(high, Math.max(low, n));

export class Zoom {
  /** of the drawing in its window */
  x = 0;
  y = 0;
  scale = 1;
  /** the drawing's */
  width = 1;
  height = 1;
  /** pressed pointers @type {Map<number, Point>} */
  #pointers = new Map();
  #dragged = false;
  /** @type {SVGSVGElement | undefined} */
  #window;

  /** Whether the reader has moved it. */
  touched = false;
  /** Called whenever another part is seen. */
  moved = () => {};

  /** The window; what moves is its child with class `moved`. @param {SVGSVGElement} svg */
  attach(svg) {
    if (svg === this.#window) return;
    this.#window = svg;
    svg.addEventListener('wheel', this.#wheel, { passive: false });
    svg.addEventListener('pointerdown', this.#down);
    svg.addEventListener('pointermove', this.#move);
    svg.addEventListener('pointerup', this.#up);
    svg.addEventListener('pointercancel', this.#up);
    svg.addEventListener('click', this.#click, { capture: true });
    // The browser may scroll a focused element into view: this does it instead.
    svg.addEventListener('focusin', (event) => this.#reveal(/** @type {Element} */ (event.target)));
  }

  get #area() {
    const { width, height } = this.#window?.getBoundingClientRect() ?? { width: 1, height: 1 };
    return { width: width || 1, height: height || 1 };
  }

  /** The part of the drawing in the window. @returns {Area} */
  get seen() {
    const { width, height } = this.#area;
    const { x, y, scale } = this;
    return { x: -x / scale, y: -y / scale, width: width / scale, height: height / scale };
  }

  /** Brings a point of the drawing into the middle. @param {number} x @param {number} y */
  centre(x, y) {
    const middle = this.middle;
    this.pan((middle.x - x) * this.scale, (middle.y - y) * this.scale);
  }

  /** The point of the drawing in the middle. */
  get middle() {
    const { width, height } = this.#area;
    return { x: (width / 2 - this.x) / this.scale, y: (height / 2 - this.y) / this.scale };
  }

  #show() {
    const moved = this.#window?.querySelector('.moved');
    moved?.setAttribute(
      'transform',
      `translate(${this.x.toFixed(2)} ${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`,
    );
    this.moved();
  }

  /** Keeps a point of the window in place. @param {number} factor @param {Point} [about] */
  by(factor, about) {
    const { width, height } = this.#area;
    const { x, y } = about ?? { x: width / 2, y: height / 2 };
    const scale = between(LEAST, this.scale * factor, MOST);
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.touched = true;
    this.#show();
  }

  /** @param {number} x @param {number} y */
  pan(x, y) {
    this.x += x;
    this.y += y;
    this.touched = true;
    this.#show();
  }

  /** To a part that was seen before. @param {{ x: number, y: number, scale: number }} seen */
  return({ x, y, scale }) {
    Object.assign(this, { x, y, scale, touched: true });
    this.#show();
  }

  /** All of it. */
  fit() {
    const { width, height } = this.#area;
    this.scale = between(LEAST, Math.min((width - MARGIN) / this.width, (height - MARGIN) / this.height), 1);
    this.x = (width - this.width * this.scale) / 2;
    this.y = (height - this.height * this.scale) / 2;
    this.touched = true;
    this.#show();
  }

  /** The beginning, as large as can be read; all of it if that fits. @param {Point | undefined} start */
  begin(start) {
    const { width, height } = this.#area;
    const fits = Math.min((width - MARGIN) / this.width, (height - MARGIN) / this.height);
    if (fits >= READABLE) this.fit();
    else {
      this.scale = between(READABLE, (width - MARGIN) / this.width, 1);
      const left = width / 2 - (start?.x ?? this.width / 2) * this.scale;
      const least = width - this.width * this.scale - MARGIN;
      this.x = least < 0 ? between(least, left, MARGIN) : left;
      // The beginning is in view also if something else is above it.
      this.y = Math.min(MARGIN / 2, height / 3 - (start?.y ?? 0) * this.scale);
      this.#show();
    }
    this.touched = false;
  }

  /** Brings a part of the drawing into view. @param {Area} part @param {boolean} [centred] */
  see({ x, y, width, height }, centred = false) {
    const area = this.#area;
    if (centred && this.scale < READABLE) this.scale = 1;
    const [left, top] = [this.x + x * this.scale, this.y + y * this.scale];
    const [right, bottom] = [left + width * this.scale, top + height * this.scale];
    const inside = left >= 0 && top >= 0 && right <= area.width && bottom <= area.height;
    if (centred && !inside) {
      this.x = area.width / 2 - (x + width / 2) * this.scale;
      this.y = area.height / 2 - (y + height / 2) * this.scale;
    } else if (!inside) {
      this.x += left < MARGIN ? MARGIN - left : Math.min(0, area.width - MARGIN - right);
      this.y += top < MARGIN ? MARGIN - top : Math.min(0, area.height - MARGIN - bottom);
    }
    this.#show();
  }

  /** @param {Element} one */
  #reveal(one) {
    const box = one.closest('[role=button]');
    if (!this.#window || !box || !box.matches(':focus-visible')) return;
    const [window, at] = [this.#window.getBoundingClientRect(), box.getBoundingClientRect()];
    const [x, y] = [(at.left - window.left - this.x) / this.scale, (at.top - window.top - this.y) / this.scale];
    this.see({ x, y, width: at.width / this.scale, height: at.height / this.scale });
  }

  /** @param {{ clientX: number, clientY: number }} event @returns {Point} in the window */
  #point({ clientX, clientY }) {
    const { left, top } = this.#window?.getBoundingClientRect() ?? { left: 0, top: 0 };
    return { x: clientX - left, y: clientY - top };
  }

  #wheel = (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      return this.pan(-(event.deltaX || event.deltaY) * pixels, event.shiftKey ? 0 : -event.deltaY * pixels);
    // Fingers on a trackpad that pinch come as a wheel with the control key, in small steps.
    const speed = event.ctrlKey ? 0.01 : 0.0016;
    this.by(Math.exp(-between(-300, event.deltaY * pixels, 300) * speed), this.#point(event));
  };

  #down = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    if (!this.#pointers.size) this.#dragged = false;
    this.#pointers.set(event.pointerId, this.#point(event));
  };

  #move = (/** @type {PointerEvent} */ event) => {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.#point(event);
    const [other] = [...this.#pointers].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]));
    if (!other && !this.#dragged && distance(before, now) < CLICK) return;
    if (!this.#dragged) this.#window?.setPointerCapture(event.pointerId);
    this.#dragged = true;
    if (other) {
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      this.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      this.by(distance(now, other) / Math.max(1, distance(before, other)), middle);
    } else this.pan(now.x - before.x, now.y - before.y);
    this.#pointers.set(event.pointerId, now);
  };

  #up = (/** @type {PointerEvent} */ event) => this.#pointers.delete(event.pointerId);

  /** The end of a drag is not a click. @param {MouseEvent} event */
  #click = (event) => {
    if (this.#dragged && event.detail > 0) event.stopPropagation();
    this.#dragged = false;
  };

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was handled */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === '+' || event.key === '=') this.by(1.25);
    else if (event.key === '-') this.by(0.8);
    else if (event.key === '0') this.fit();
    else return false;
    event.preventDefault();
    return true;
  }
}
