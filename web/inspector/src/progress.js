/** The progress of a read, with a button to end it. */
import { css, html, LitElement } from 'lit';
import { counted, size } from './format.js';
import { look } from './look.js';

/** Longer requests show how much of them has arrived, in bytes. */
const LONG = 256 * 1024;

class Progress extends LitElement {
  static properties = { session: { attribute: false }, text: {} };
  static styles = [
    look,
    css`
      :host {
        display: block;
      }
      .bar {
        margin: 1rem 0;
      }
      i {
        width: 1.1rem;
        height: 1.1rem;
        border-radius: 50%;
        border: 2px solid var(--line);
        border-top-color: var(--accent);
        animation: turn 0.9s linear infinite;
      }
      progress {
        width: 9rem;
        accent-color: var(--accent);
      }
      .far {
        white-space: nowrap;
      }
      @keyframes turn {
        to {
          transform: rotate(1turn);
        }
      }
      @media (prefers-reduced-motion: reduce) {
        i {
          animation: none;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import('./session.js').Session} */
    this.session;
    this.text = '';
    this.begun = { requests: 0, bytes: 0 };
  }

  #follow = () => this.requestUpdate();

  connectedCallback() {
    super.connectedCallback();
    this.begun = { requests: this.session.fetched.length, bytes: this.session.bytes };
    this.session.addEventListener('fetched', this.#follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.session.removeEventListener('fetched', this.#follow);
  }

  /** A value that is read as a whole, or a request that takes longer. */
  get #part() {
    const { work, coming } = this.session;
    return work ?? (coming.total > LONG ? coming : undefined);
  }

  /** @returns {string} */
  get #soFar() {
    const requests = this.session.fetched.length - this.begun.requests;
    const part = this.#part;
    if (part) return `${size(part.done)} of ${size(part.total)}, ${Math.floor((100 * part.done) / part.total)} %`;
    return requests ? `${size(this.session.bytes - this.begun.bytes)} in ${counted(requests, 'request')}` : '';
  }

  render() {
    const part = this.#part;
    return html`<p class="bar dim" role="status">
      ${part ? html`<progress max=${part.total} .value=${part.done} aria-label="How far it is"></progress>` : html`<i aria-hidden="true"></i>`}
      <span>${this.text} <span class="far">${this.#soFar}</span></span>
      <button @click=${() => this.dispatchEvent(new Event('cancel'))}>Cancel</button>
    </p>`;
  }
}

customElements.define('cpb-progress', Progress);

/** @param {import('./session.js').Session} session @param {() => unknown} cancel @param {string} [text] */
export const waiting = (session, cancel, text = 'Reading…') =>
  html`<cpb-progress .session=${session} .text=${text} @cancel=${cancel}></cpb-progress>`;
