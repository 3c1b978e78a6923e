/** <cpb-chunk>: how a chunk is stored, and its bytes, fetched a page at a time. */
import { css, html, nothing } from 'lit';
import { count, plain, size } from '../format.js';
import { hex } from '../hex.js';
import { Panel } from '../panel.js';

/** Bytes that are fetched and shown at once. */
const PAGE = 1024;

const KINDS = { MESSAGE: 'a message, which is parsed', BYTES: 'bytes of a field', UNSET: 'of no kind' };

class Chunk extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      pre.hex {
        white-space: pre;
        overflow-x: auto;
      }
    `,
  ];

  #bytes = this.asking(
    ([session, at, from], { signal }) =>
      session.look('chunkBytes', { chunk: at === BYTES ? undefined : Number(at), offset: from, length: PAGE, signal }),
    () => [this.at, this.#from],
  );

  get #from() {
    return Number(this.view.from) || 0;
  }

  render() {
    return this.answer(
      this.#bytes,
      (answer) => html`${this.about(answer)} ${hex(answer.bytes, this.#from)} ${this.pages(answer)}`,
    );
  }

  /** @param {any} answer */
  about({ stored, type, position, size: bytes, other }) {
    if (!stored) return html`<h2>Bytes of the message</h2>`;
    const { begin, end, codec, records, index } = stored;
    return html`<h2>Chunk ${count(Number(this.at))}</h2>
      <p>
        ${size(bytes)} (${count(bytes)} bytes), ${KINDS[/** @type {keyof typeof KINDS} */ (type)]}. Its record is at
        position ${count(position)}: number ${count(index + 1)} of ${count(records)} in bytes ${count(begin)} to
        ${count(end)} of ${other === undefined ? 'the file' : html`<code>${plain(other)}</code>, a file beside it`},
        ${codec === 'none' ? 'not compressed' : `compressed with ${codec[0].toUpperCase()}${codec.slice(1)}`}${stored.transposed ? ', transposed' : ''}.
      </p>`;
  }

  /** @param {any} answer */
  pages({ size: total, bytes }) {
    const from = this.#from;
    if (total <= bytes.length) return nothing;
    const to = (/** @type {number} */ next) => this.see({ from: next || '' });
    return html`<nav class="pager" aria-label="Pages of bytes">
      <button ?disabled=${from === 0} @click=${() => to(Math.max(0, from - PAGE))}>Previous</button>
      <span>${count(from + 1)} to ${count(from + bytes.length)} of ${count(total)}</span>
      <button ?disabled=${from + bytes.length >= total} @click=${() => to(from + PAGE)}>Next</button>
    </nav>`;
  }
}

/** The selection for the message itself, in a file without chunks. */
export const BYTES = 'bytes';

customElements.define('cpb-chunk', Chunk);
