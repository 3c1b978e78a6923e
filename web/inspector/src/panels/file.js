/** The file from its first to its last byte: its chunks, and the parts that were fetched. */
import { css, html, nothing, svg } from 'lit';
import { count, counted, plain, size } from '../format.js';
import { pager, Panel } from '../panel.js';
import { column, numbers, table } from './listing.js';

const COLUMNS = 1000;
/** The most chunks that can be distinguished, and the most requests in the table. */
const [MOST, ROWS] = [5000, 200];
/** Chunks of a page of their table, and bytes of a chunk that are fetched and shown at once. */
const [PAGE, SHOWN] = [50, 1024];
/** The selection for the message itself, in a file without chunks. */
const BYTES = 'bytes';

class FileMap extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      figure {
        margin: 0 0 1rem;
        padding: 1rem 1.1rem;
      }
      svg {
        width: 100%;
        height: 6rem;
        display: block;
      }
      svg.plain {
        height: 2.6rem;
      }
      .back {
        fill: var(--row);
      }
      .chunk {
        fill: var(--accent);
        fill-opacity: 0.22;
        stroke: var(--panel);
        stroke-width: 1;
        vector-effect: non-scaling-stroke;
      }
      .fetched {
        fill: var(--accent);
      }
      figcaption {
        display: flex;
        gap: 0.3rem 1.1rem;
        margin-top: 0.5rem;
      }
      .requests :is(td, th):first-child {
        width: 6rem;
      }
      .requests :is(td, th).number {
        width: 10rem;
      }
      .end {
        margin-left: auto;
      }
      i {
        display: inline-block;
        width: 0.8em;
        height: 0.8em;
        border-radius: 3px;
        margin-right: 0.4em;
        background: var(--accent);
      }
      i.light {
        opacity: 0.3;
      }
      pre.hex {
        white-space: pre;
        overflow-x: auto;
      }
    `,
  ];
  #follow = () => this.requestUpdate();
  #chunks = this.asking(([session], { signal }) => session.look('chunks', { most: MOST, signal }));

  #list = this.asking(
    ([session, first], { signal }) => session.look('chunkList', { first, count: PAGE, signal }),
    () => [Number(this.view.first) || 0],
  );
  #bytes = this.asking(
    ([session, at, from], { signal }) =>
      this.#isChosen
        ? session.look('chunkBytes', {
            chunk: at === BYTES ? undefined : Number(at),
            offset: from,
            length: SHOWN,
            signal,
          })
        : undefined,
    () => [this.at, this.#from],
  );

  get #from() {
    return Number(this.view.from) || 0;
  }

  /** Whether a chunk, or the message, is chosen. */
  get #isChosen() {
    return /^\d+$/.test(this.at) || this.at === BYTES;
  }

  connectedCallback() {
    super.connectedCallback();
    this.session.addEventListener('fetched', this.#follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.session.removeEventListener('fetched', this.#follow);
  }

  render() {
    const { fetched, bytes, about } = this.session;
    const own = merged(fetched).reduce((sum, { begin, end }) => sum + end - begin, 0);
    const share = about.size ? (100 * own) / about.size : 0;
    return html`
      <div class="cards">
        <div class="box card"><b>${size(about.size)}</b><span class="dim small">${count(about.size)} bytes</span></div>
        <div class="box card">
          <b>${count(about.numChunks)}</b
          ><span class="dim small">chunks${about.numChunks ? '' : ': not a chunked file'}</span>
        </div>
        <div class="box card"><b>${count(fetched.length)}</b><span class="dim small">requests so far</span></div>
        <div class="box card">
          <b>${size(bytes)}</b
          ><span class="dim small"
            >fetched so far; ${share.toLocaleString('en', { maximumSignificantDigits: 2 })} % of this file</span
          >
        </div>
      </div>
      ${this.answer(this.#chunks, (begins) => this.map(begins))} ${this.chunk()}
      ${about.numChunks ? this.answer(this.#list, (list) => this.chunks(list)) : this.plain()} ${this.requests(fetched)}
    `;
  }

  /** The bytes of the chunk that was chosen, fetched a page at a time. */
  chunk() {
    const first = this.#from;
    const turn = (/** @type {number} */ to) => this.see({ from: to || '' });
    if (!this.#isChosen) return nothing;
    return this.answer(
      this.#bytes,
      (answer) =>
        html`${this.stored(answer)} ${hex(answer.bytes, first)}
        ${pager({ total: answer.size, first, items: answer.bytes }, turn, SHOWN, 'Pages of bytes')}`,
    );
  }

  /** How a chunk is stored. @param {any} answer */
  stored({ stored, type, position, size: bytes, other }) {
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

  /** For a file without chunks. */
  plain() {
    return this.at === BYTES ? nothing : html`<p>${this.link('file', BYTES, 'Show the bytes of the message')}</p>`;
  }

  /** @param {{ total: number, first: number, items: any[] }} list */
  chunks(list) {
    const { first = '' } = this.view;
    return html`<h2>${counted(list.total, 'chunk')}</h2>
      ${table(
        'chunks',
        [
          numbers('index', 'Chunk', ({ index }) => this.link('file', String(index), count(index), '', { first })),
          column('type', 'Kind', ({ type }) => type.toLowerCase()),
          numbers('size', 'Size', ({ size: bytes }) => size(bytes)),
          numbers('position', 'Position'),
        ],
        list.items,
      )}
      ${pager(list, (to) => this.see({ first: to || '' }), PAGE)}`;
  }

  /** @param {number[]} begins */
  map(begins) {
    const { fetched, about } = this.session;
    const x = (/** @type {number} */ offset) => (COLUMNS * offset) / (about.size || 1);
    return html`<figure class="box">
      <svg
        class=${begins.length ? '' : 'plain'}
        viewBox="0 ${begins.length ? 0 : 50} ${COLUMNS} ${begins.length ? 80 : 30}"
        preserveAspectRatio="none"
        role="img"
        aria-label="The file, its chunks and what was fetched"
      >
        <rect class="back" width=${COLUMNS} height="44"></rect>
        <rect class="back" y="50" width=${COLUMNS} height="30"></rect>
        ${begins.map((begin, i) => svg`<rect class="chunk" x=${x(begin)} y="0" width=${x((begins[i + 1] ?? about.size) - begin)} height="44"></rect>`)}
        ${merged(fetched).map(({ begin, end }) => svg`<rect class="fetched" x=${x(begin)} y="50" width=${Math.max(1, x(end - begin))} height="30"></rect>`)}
      </svg>
      <figcaption class="dim small">
        ${begins.length ? html`<span><i class="light"></i>A chunk of the file</span>` : nothing}<span
          ><i></i>Fetched so far</span
        >
        <span class="end">From byte 0 to ${count(about.size)}</span>
      </figcaption>
    </figure>`;
  }

  /** @param {import('../model/requests.js').Fetched[]} fetched */
  requests(fetched) {
    const shown = fetched.slice(-ROWS);
    return html`<h2>${counted(fetched.length, 'request')}${fetched.length > ROWS ? `, the last ${ROWS}` : ''}</h2>
      ${table(
        'requests',
        [
          numbers('number', 'Request', (one) => fetched.indexOf(one) + 1),
          numbers('offset', 'From byte'),
          numbers('length', 'Bytes'),
          column('file', 'File', ({ beside, length }) => {
            const file = beside ? `${beside}${length ? '' : ' (not found)'}` : 'the model';
            return html`<span class="dim">${file}</span>`;
          }),
        ],
        shown,
      )}`;
  }
}

/** Ranges of the model that overlap or meet are one. @param {import('../model/requests.js').Fetched[]} fetched */
function merged(fetched) {
  const ranges = fetched.filter(({ beside }) => !beside).sort((a, b) => a.offset - b.offset);
  /** @type {{ begin: number, end: number }[]} */
  const found = [];
  for (const { offset, length } of ranges) {
    const last = found.at(-1);
    if (last && offset <= last.end) last.end = Math.max(last.end, offset + length);
    else found.push({ begin: offset, end: offset + length });
  }
  return found;
}

customElements.define('cpb-file-map', FileMap);

/** Bytes of a line. */
const LINE = 16;

const two = (/** @type {number} */ byte) => byte.toString(16).padStart(2, '0');
const visible = (/** @type {number} */ byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·');

/** Bytes as numbers and as text. @param {Uint8Array} bytes @param {number} from where the first of them is */
function hex(bytes, from) {
  const width = Math.max(6, (from + bytes.length).toString(16).length);
  const lines = Array.from({ length: Math.ceil(bytes.length / LINE) }, (_, i) => {
    const line = [...bytes.subarray(i * LINE, (i + 1) * LINE)];
    const place = (from + i * LINE).toString(16).padStart(width, '0');
    const numbers = [line.slice(0, LINE / 2), line.slice(LINE / 2)].map((half) => half.map(two).join(' '));
    return `${place}  ${numbers.join('  ').padEnd(3 * LINE)}  ${line.map(visible).join('')}`;
  });
  return html`<pre class="hex" tabindex="0" aria-label="Bytes">${lines.join('\n')}</pre>`;
}

const KINDS = { MESSAGE: 'a message, which is parsed', BYTES: 'bytes of a field', UNSET: 'of no kind' };
