/** Whatever has a text in its name. */
import { html } from 'lit';
import { pager, Panel } from '../panel.js';

class Search extends Panel {
  static properties = { ...Panel.properties, first: { state: true } };

  constructor() {
    super();
    this.first = 0;
  }

  #found = this.asking(
    ([session, text, first], { signal }) => (text ? session.ask('search', { name: text, first, signal }) : undefined),
    () => [this.at, this.first],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at')) this.first = 0;
  }

  render() {
    return html`
      <form role="search" @submit=${this.#submit}>
        <label>Name contains <input name="text" type="search" .value=${this.at} /></label> <button>Search</button>
      </form>
      ${this.answer(this.#found, (answer) => (answer ? this.found(answer.found) : ''))}
    `;
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.go('search', String(new FormData(form).get('text') ?? ''));
  }

  /** @param {any} found */
  found(found) {
    if (!found.total) return html`<p>Nothing has that in its name.</p>`;
    return html`<div class="scroll"><table>
        <thead><tr><th>What</th><th>Name</th><th>Where</th></tr></thead>
        <tbody>
          ${found.items.map((/** @type {any} */ one) => html`<tr><td>${one.is}</td><td>${this.place(one)}</td><td><code>${one.path ?? one.function ?? one.op ?? ''}</code></td></tr>`)}
        </tbody>
      </table></div>
      ${pager(found, (first) => (this.first = first))}`;
  }

  /** @param {any} one */
  place(one) {
    if (one.is === 'object') return this.link('objects', one.path, one.name ?? one.path);
    if (one.is === 'function') return this.link('functions', one.name);
    if (one.is === 'signature') return this.link('signatures', one.name);
    return html`<code>${one.name}</code>`;
  }
}

customElements.define('cpb-search', Search);
