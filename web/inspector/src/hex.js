/** Bytes as numbers and as text. */
import { html } from 'lit';

/** Bytes of a line. */
const LINE = 16;

const two = (/** @type {number} */ byte) => byte.toString(16).padStart(2, '0');
const visible = (/** @type {number} */ byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·');

/**
 * @param {Uint8Array} bytes
 * @param {number} from where the first of them is
 */
export function hex(bytes, from) {
  const width = Math.max(6, (from + bytes.length).toString(16).length);
  const lines = Array.from({ length: Math.ceil(bytes.length / LINE) }, (_, i) => {
    const line = [...bytes.subarray(i * LINE, (i + 1) * LINE)];
    const place = (from + i * LINE).toString(16).padStart(width, '0');
    const numbers = [line.slice(0, LINE / 2), line.slice(LINE / 2)].map((half) => half.map(two).join(' '));
    return `${place}  ${numbers.join('  ').padEnd(3 * LINE)}  ${line.map(visible).join('')}`;
  });
  return html`<pre class="hex" tabindex="0" aria-label="Bytes">${lines.join('\n')}</pre>`;
}
