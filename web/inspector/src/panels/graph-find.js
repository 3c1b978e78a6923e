/** The search field: finds nodes, layers and variables while you type, those of the current graph first. */
import { css, html, nothing } from 'lit';
import { plain } from '../format.js';
import { kinds } from '../model/kinds.js';
import { Panel } from '../panel.js';
import { lead } from './graph-follow.js';

/** @import { Found } from '../model/find.js' */

class GraphFind extends Panel {
  static properties = { ...Panel.properties, text: { state: true }, active: { state: true }, shown: { state: true } };
  static styles = [
    ...Panel.styles,
    css`
      :host {
        position: relative;
        flex: 1 1 13rem;
        max-width: 24rem;
      }
      input {
        width: 100%;
      }
      ul {
        position: absolute;
        z-index: 5;
        inset-inline: 0;
        min-width: min(26rem, 88vw);
        top: calc(100% + 4px);
        margin: 0;
        padding: 0.3rem;
        list-style: none;
        max-height: min(26rem, 60vh);
        overflow-y: auto;
        box-shadow: 0 6px 24px var(--shade);
      }
      li {
        display: flex;
        gap: 0.5rem;
        align-items: baseline;
        padding: 0.25rem 0.5rem;
        border-radius: 6px;
        cursor: pointer;
      }
      li[aria-selected='true'],
      li[role='option']:hover {
        background: var(--chip);
      }
      li code {
        flex: 1;
        overflow-wrap: anywhere;
      }
      li .chip {
        flex: none;
        margin: 0;
      }
      li .dim {
        max-width: 40%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
    `,
  ];

  constructor() {
    super();
    this.text = '';
    this.active = -1;
    this.shown = false;
  }

  #found = this.asking(
    ([session, at, text], { signal }) => (text ? session.look('find', { at, text, signal }) : undefined),
    () => [this.at, this.text],
  );

  #keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    // Pressed again, it is the browser's own.
    if (this.shadowRoot?.activeElement === this.#field) return;
    event.preventDefault();
    this.#field?.focus();
    this.#field?.select();
  };

  connectedCallback() {
    super.connectedCallback();
    addEventListener('keydown', this.#keys);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keys);
  }

  get #field() {
    return /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector('input'));
  }

  /** @returns {Found[]} */
  get #list() {
    const { here = [], others = [] } = this.#found.value ?? {};
    return [...here, ...others];
  }

  render() {
    const isOpen = this.shown && Boolean(this.text);
    const words = kinds[this.session.about.kind]?.finds ?? ['operation', 'variable'];
    const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
    return html`<input
        type="search"
        role="combobox"
        aria-label="Find a ${list}"
        placeholder="Find a ${words.join(', ')}"
        aria-expanded=${isOpen}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant=${isOpen && this.active >= 0 ? `found-${this.active}` : nothing}
        autocomplete="off"
        spellcheck="false"
        @input=${this.#typed}
        @keydown=${this.#onKey}
        @focus=${() => (this.shown = true)}
        @blur=${() => (this.shown = false)}
      />
      <ul
        class="box"
        id="found"
        role="listbox"
        aria-label="Found"
        ?hidden=${!isOpen}
        @mousedown=${(/** @type {Event} */ e) => e.preventDefault()}
      >
        ${isOpen ? this.#results() : nothing}
      </ul>`;
  }

  #results() {
    if (this.#found.status === 3)
      return html`<li role="option" aria-selected="false" aria-disabled="true">${plain(this.#found.error)}</li>`;
    const list = this.#list;
    if (!list.length)
      return html`<li role="option" aria-selected="false" aria-disabled="true" class="dim">
        ${this.#found.value ? 'Nothing has this in its name.' : 'Looking…'}
      </li>`;
    return list.map(
      (one, i) =>
        html`<li id="found-${i}" role="option" aria-selected=${i === this.active} @click=${() => this.#lead(one)}>
          <span class="chip">${one.is}</span> <code>${plain(one.name)}</code>
          <span class="dim small">${plain(one.about)}</span>
        </li>`,
    );
  }

  /** @param {InputEvent} event */
  #typed(event) {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    this.shown = true;
    this.pausing(() => ([this.text, this.active] = [value.trim(), value.trim() ? 0 : -1]));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const list = this.#list;
    if (event.key === 'Escape') this.shown = false;
    else if (event.key === 'ArrowDown') this.active = Math.min(list.length - 1, this.active + 1);
    else if (event.key === 'ArrowUp') this.active = Math.max(0, this.active - 1);
    else if (event.key === 'Enter') {
      const one = list[Math.max(0, this.active)];
      if (one) this.#lead(one);
    } else return;
    event.preventDefault();
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    );
  }

  /** @param {Found} one */
  #lead(one) {
    this.shown = false;
    // What is found before the graph is loaded has only the answer to say in which graph it is.
    if (one.node)
      lead({ at: this.#found.value.at, node: this.node, view: this.view, go: this.go.bind(this) }, one.node);
    else if (['node', 'value', 'input'].includes(one.is)) this.go('graph', one.function || '/', one.name);
    else if (one.is === 'initializer') this.go('variables', one.function ? `${one.function}:${one.name}` : one.name);
    else if (one.is === 'function' || one.is === 'subgraph') this.go('graph', one.name);
    else if (one.is === 'signature') this.go('signatures', one.name);
    else if (one.is === 'layer') this.go('layers', one.path);
    else this.go('objects', one.path);
  }
}

customElements.define('cpb-graph-find', GraphFind);
