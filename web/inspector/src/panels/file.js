/** The file from its first to its last byte: its chunks, and what of it was fetched. */
import { css, html, nothing, svg } from 'lit';
import { counted, size } from '../format.js';
import { Panel } from '../panel.js';

const COLUMNS = 960;

class FileMap extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      svg { width: 100%; height: 5.5rem; border-radius: 8px; background: var(--row); display: block; }
      .chunk { fill: var(--accent); fill-opacity: .18; stroke: var(--page); stroke-width: .5; }
      .fetched { fill: var(--accent); }
      .key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 .9em; background: var(--accent); }
      .key.light { opacity: .3; }
    `,
  ];
  #follow = () => this.requestUpdate();

  connectedCallback() {
    super.connectedCallback();
    this.session.addEventListener('fetched', this.#follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.session.removeEventListener('fetched', this.#follow);
  }

  render() {
    const { message } = this.session.model;
    const { fetched } = this.session;
    const bytes = fetched.reduce((sum, { length }) => sum + length, 0);
    const x = (/** @type {number} */ offset) => (COLUMNS * offset) / message.size;
    return html`
      <p>
        ${size(message.size)}${message.numChunks ? `, ${counted(message.numChunks, 'chunk')}` : ', one plain message'}. Fetched so far:
        <strong>${size(bytes)}</strong> (${((100 * bytes) / message.size).toLocaleString('en', { maximumSignificantDigits: 2 })} %) in
        <strong>${counted(fetched.length, 'request')}</strong>.
      </p>
      <svg viewBox="0 0 ${COLUMNS} 80" preserveAspectRatio="none" role="img" aria-label="The file, its chunks and what was fetched">
        ${chunksOf(message).map(({ begin, end }) => svg`<rect class="chunk" x=${x(begin)} y="0" width=${x(end - begin)} height="48"></rect>`)}
        ${fetched.map(({ offset, length }) => svg`<rect class="fetched" x=${x(offset)} y="52" width=${Math.max(1, x(length))} height="28"></rect>`)}
      </svg>
      <p class="dim">${message.numChunks ? html`<span class="key light"></span>chunks` : nothing}<span class="key"></span>fetched</p>
      <div class="scroll"><table>
        <thead><tr><th class="number">Request</th><th class="number">Begin</th><th class="number">Bytes</th></tr></thead>
        <tbody>
          ${fetched.slice(-200).map((range, i, { length }) => html`<tr>
            <td class="number">${fetched.length - length + i + 1}</td><td class="number">${range.offset.toLocaleString('en')}</td><td class="number">${range.length.toLocaleString('en')}</td>
          </tr>`)}
        </tbody>
      </table></div>
    `;
  }
}

/** As many as can be told apart. */
const MOST = 5000;

/** @param {import('libcpb').Message} message */
function chunksOf(message) {
  if (message.numChunks > MOST) return [{ begin: 0, end: message.size }];
  const begins = [...new Set([...message.chunks()].map(({ position }) => position))].sort((a, b) => a - b);
  return begins.map((begin, i) => ({ begin, end: begins[i + 1] ?? message.size }));
}

customElements.define('cpb-file-map', FileMap);
