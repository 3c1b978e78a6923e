/** Everything whose name contains a text, while one types. */
import { css, html, nothing } from 'lit';
import { counted, plain } from '../format.js';
import { pager, Panel } from '../panel.js';
import { column, listing, table, types, wide } from './listing.js';

/** A node's operation, a layer's class, an object's kind. @param {any} one */
const kindOf = ({ op, class: name, kind }) => op ?? name ?? kind?.replaceAll('_', ' ') ?? '';

/** An object's path, a node's function. @param {any} one */
const placeOf = ({ is, path, function: name }) =>
  path || name
    ? html`<code>${plain(path ?? name)}</code>`
    : ['node', 'value', 'input', 'initializer', 'variable', 'constant', 'sequence'].includes(is)
      ? 'the main graph'
      : nothing;

class Search extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    css`
      form {
        display: flex;
        gap: 0.5rem;
        max-width: 40rem;
        margin-bottom: 1rem;
      }
      form input {
        flex: 1;
      }
    `,
  ];
  static properties = { ...Panel.properties, typed: { state: true } };

  constructor() {
    super();
    /** the text typed since, which is not a place of its own @type {string | undefined} */
    this.typed = undefined;
  }

  get #text() {
    return this.typed ?? this.at;
  }

  #found = this.asking(
    ([session, text, first], { signal }) => (text ? session.ask('search', { name: text, first, signal }) : undefined),
    () => [this.#text, this.typed === undefined ? Number(this.view.first ?? 0) : 0],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at')) this.typed = undefined;
  }

  render() {
    return html`
      <form role="search" @submit=${this.#submit}>
        <input
          name="text"
          type="search"
          aria-label="Name contains"
          placeholder="Part of a name"
          .value=${this.at}
          @input=${this.#onInput}
        />
        <button class="main">Search</button>
      </form>
      ${this.answer(this.#found, (answer) => (answer ? this.found(answer) : html`<p class="empty">Finds everything in the model that has this text in its name, in upper or lower case.</p>`))}
    `;
  }

  /** @param {InputEvent} event */
  #onInput(event) {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    this.pausing(() => (this.typed = value.trim()));
  }

  /** A search has an address. @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    this.pausing();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.go('search', String(new FormData(form).get('text') ?? ''));
  }

  /** @param {any} answer */
  found({ found, unread }) {
    const but = unread ? html`<p class="dim">Weights were not read: those that nodes take are found.</p>` : nothing;
    if (!found.total)
      return html`<p class="empty">No name contains “${plain(this.#text)}”.</p>
        ${but}`;
    return html`<p>${counted(found.total, 'name')}</p>
      ${but}
      ${table(
        'names',
        [
          column('is', 'What', ({ is }) => html`<span class="chip">${is}</span>`),
          column('name', 'Name', (one) => this.place(one)),
          wide(types('kind', 'Kind', (one) => plain(kindOf(one)))),
          column('where', 'Where', (one) => html`<span class="dim">${placeOf(one)}</span>`),
        ],
        found.items,
      )}
      ${pager(found, (first) => this.go('search', this.#text, '', { first: String(first) }))}`;
  }

  /** @param {any} one */
  place(one) {
    if (one.kind === 'variable') return this.link('variables', one.path ?? one.name, one.name ?? one.path);
    if (one.is === 'object') return this.link('objects', one.path, one.name ?? one.path);
    if (one.is === 'layer') return this.link('layers', one.path, one.name ?? one.path);
    if (one.is === 'function' || one.is === 'subgraph') return this.link('functions', one.name);
    if (one.is === 'signature') return this.link('signatures', one.name);
    if (one.is === 'initializer')
      return this.link('variables', one.function ? `${one.function}:${one.name}` : one.name, one.name);
    if (['node', 'value', 'input'].includes(one.is)) return this.link('graph', one.function ?? '', one.name, one.name);
    return html`<code>${plain(one.name)}</code>`;
  }
}

customElements.define('cpb-search', Search);
