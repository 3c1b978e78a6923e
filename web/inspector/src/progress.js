/** What is said while something is read: how much came, and how to end it. */
import { css, html, LitElement } from 'lit';
import { counted, size } from './format.js';
import { look } from './look.js';

class Progress extends LitElement {
  static properties = { session: { attribute: false }, text: {} };
  static styles = [
    look,
    css`
      :host {
        display: block;
      }
      p {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        flex-wrap: wrap;
        color: var(--dim);
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
    this.text = 'Reading…';
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

  render() {
    const requests = this.session.fetched.length - this.begun.requests;
    const bytes = this.session.bytes - this.begun.bytes;
    return html`<p role="status">
      <i aria-hidden="true"></i
      ><span>${this.text}${requests ? ` ${size(bytes)} in ${counted(requests, 'request')}` : ''}</span>
      <button @click=${() => this.dispatchEvent(new Event('cancel'))}>Cancel</button>
    </p>`;
  }
}

customElements.define('cpb-progress', Progress);
