/**
 * <cpb-inspector src="…">: looks inside a model. docs/embedding.md describes it.
 *
 * Attributes and properties: `src`, the URL of a model; `panel`, which of the panels is
 * shown; `at` and `node`, what is selected there; `bare`, without the form that opens
 * another; `theme`, light or dark, else as the page. Properties: `view`, how the place is
 * seen; `files`, a model's files, which count where `src` is empty; `examples`, which are offered
 * when nothing is open. Events: `open` when a model is open, `failed` with the error, `navigate`
 * when the reader went elsewhere (`replace`: stayed there, and sees it differently), `progress`
 * when something was fetched.
 */
import { css, html, LitElement, nothing } from 'lit';
import { counted, plain, size } from './format.js';
import { filesOf, modelAmong } from './files.js';
import { look } from './look.js';
import { failure } from './panel.js';
import { panels } from './panels.js';
import { Session } from './session.js';
import './progress.js';

/** @typedef {{ title: string, about: string, url: string }} Example */
/**
 * How a place is seen: texts by names, such as `open` scopes, or the `first` of a list that is
 * shown. Each panel has its own, but for `meta`, the meta graph's number, which all have.
 * @typedef {Record<string, string>} View
 */
/** @typedef {{ panel: string, at?: string, node?: string, view?: View }} Place */

const icon = html`<svg viewBox="0 0 16 16" aria-hidden="true">
  <rect x="1" y="2" width="14" height="3" rx="1" />
  <rect x="1" y="7" width="9" height="3" rx="1" opacity=".75" />
  <rect x="1" y="12" width="12" height="3" rx="1" opacity=".5" />
</svg>`;

export class CpbInspector extends LitElement {
  static properties = {
    src: {},
    files: { attribute: false },
    examples: { attribute: false },
    panel: {},
    at: {},
    node: {},
    view: { attribute: false },
    bare: { type: Boolean },
    theme: { reflect: true },
    session: { state: true },
    error: { state: true },
    opened: { state: true },
    dropping: { state: true },
  };
  static styles = [
    look,
    css`
      :host {
        display: block;
        background: var(--page);
        container-type: inline-size;
      }
      :host([theme='light']) {
        color-scheme: light;
      }
      :host([theme='dark']) {
        color-scheme: dark;
      }
      .top {
        background: var(--panel);
        border-bottom: 1px solid var(--line);
      }
      header,
      main,
      nav.tabs {
        max-width: 78rem;
        margin: auto;
        padding: 0 1.25rem;
      }
      header {
        padding-top: 0.9rem;
        padding-bottom: 0.7rem;
      }
      .title {
        display: flex;
        gap: 0.6rem 1.5rem;
        flex-wrap: wrap;
        align-items: center;
      }
      h1 {
        font-size: 1.1rem;
        margin: 0;
        display: flex;
        align-items: center;
        gap: 0.5rem;
        white-space: nowrap;
      }
      h1 svg {
        width: 1.15rem;
        fill: var(--accent);
      }
      form {
        display: flex;
        gap: 0.45rem;
        flex: 1 1 26rem;
        min-width: 0;
        flex-wrap: wrap;
      }
      form input[type='url'],
      form input[type='text'] {
        flex: 1 1 12rem;
      }
      label.file {
        border: 1px solid var(--line);
        background: var(--panel);
        border-radius: 7px;
        padding: 0.3rem 0.8rem;
        cursor: pointer;
        position: relative;
      }
      label.file:hover {
        border-color: var(--accent);
      }
      label.file:focus-within {
        outline: 2px solid var(--accent);
        outline-offset: 2px;
      }
      label.file input {
        position: absolute;
        opacity: 0;
        width: 1px;
        height: 1px;
      }
      .status {
        display: flex;
        gap: 0.2rem 0.9rem;
        flex-wrap: wrap;
        align-items: baseline;
        color: var(--dim);
        font-size: 0.87rem;
        margin: 0.7rem 0 0;
      }
      .status .name {
        color: var(--text);
      }
      [role='tablist'] {
        display: flex;
        gap: 0;
        overflow-x: auto;
        scrollbar-width: none;
        margin: 0 -0.8rem;
      }
      [role='tab'] {
        border: 0;
        background: none;
        border-bottom: 3px solid transparent;
        border-radius: 0;
        padding: 0.45rem 0.8rem;
        white-space: nowrap;
        color: var(--dim);
      }
      [role='tab'][aria-selected='true'] {
        border-color: var(--accent);
        color: var(--text);
        font-weight: 600;
      }
      [role='tab']:focus-visible {
        outline-offset: -3px;
      }
      main {
        padding-top: 1.25rem;
        padding-bottom: 3rem;
      }
      .drop {
        border: 2px dashed var(--line);
        background: var(--panel);
        border-radius: 14px;
        padding: 3.2rem 1.25rem;
        text-align: center;
        margin-top: 1rem;
      }
      .drop h2 {
        margin: 0 0 0.4rem;
        font-size: 1.35rem;
      }
      .drop .chip {
        margin: 0.15rem;
      }
      .drop p {
        max-width: 42rem;
        margin: 0.5rem auto;
        color: var(--dim);
      }
      .examples {
        display: grid;
        gap: 0.8rem;
        grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr));
      }
      .examples button {
        display: flex;
        flex-direction: column;
        justify-content: start;
        gap: 0.2rem;
        text-align: left;
        padding: 0.8rem 1rem;
        border-radius: 10px;
      }
      .examples b {
        display: block;
        color: var(--accent);
      }
      .examples span {
        color: var(--dim);
        font-size: 0.87rem;
      }
      .dropping {
        outline: 3px dashed var(--accent);
        outline-offset: -6px;
      }
      @container (max-width: 40rem) {
        header,
        main,
        nav.tabs {
          padding-left: 0.9rem;
          padding-right: 0.9rem;
        }
        .title {
          gap: 0.55rem 0.45rem;
        }
        h1 {
          flex: 1;
          font-size: 1rem;
        }
        form {
          display: contents;
        }
        form :is(input[type='text'], button) {
          order: 1;
        }
        label.file {
          padding: 0.15rem 0.6rem;
          font-size: 0.87rem;
        }
        .status {
          font-size: 0.8rem;
          gap: 0.15rem 0.45rem;
          margin-top: 0.55rem;
        }
        .status .name {
          flex: 1 0 100%;
          overflow: hidden;
          text-overflow: ellipsis;
          white-space: nowrap;
        }
        .status .chip {
          margin: 0;
          padding: 0 0.35rem;
          font-size: 0.75rem;
        }
        main {
          padding-top: 1rem;
        }
        .drop {
          padding: 1.8rem 1rem;
        }
      }
    `,
  ];

  /** the tab that was brought into view */
  #tab = /** @type {Element | null} */ (null);

  constructor() {
    super();
    this.src = '';
    /** @type {File[]} a model's files: those beside it, too */
    this.files = [];
    /** @type {Example[]} */
    this.examples = [];
    this.panel = 'overview';
    this.at = this.node = '';
    /** @type {View} */
    this.view = {};
    this.bare = false;
    /** @type {'light' | 'dark' | undefined} */
    this.theme;
    /** @type {Session | undefined} */
    this.session;
    /** whether the session is ready */
    this.opened = false;
    /** @type {unknown} */
    this.error;
    this.dropping = false;
    /** @type {AbortController | undefined} */
    this.opening;
    this.addEventListener('go', (event) => this.#go(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener('see', (event) => this.#see(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener('dragover', this.#onDrag);
    this.addEventListener('dragleave', () => (this.dropping = false));
    this.addEventListener('drop', this.#onDrop);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#end();
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) this.#reopen();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('src') || changed.has('files')) this.#reopen();
    if (this.session) this.session.metaGraph = this.#metaGraph;
  }

  /** Which meta graph is looked at, by its number. */
  get #metaGraph() {
    return Number(this.view.meta?.match(/^\d+$/) ?? 0);
  }

  updated() {
    const tab = this.renderRoot.querySelector('[role=tab][aria-selected=true]');
    if (tab === this.#tab) return;
    this.#tab = tab;
    const list = tab?.parentElement;
    if (tab && list)
      list.scrollLeft = /** @type {HTMLElement} */ (tab).offsetLeft - list.offsetLeft - list.clientWidth / 3;
  }

  /** What is fetched so far: requests and bytes. */
  get fetched() {
    return { requests: this.session?.fetched.length ?? 0, bytes: this.session?.bytes ?? 0 };
  }

  #end() {
    this.opening?.abort();
    this.session?.close();
    this.session = this.error = this.opening = undefined;
    this.opened = false;
  }

  #reopen() {
    this.#end();
    const file = modelAmong(this.files);
    if (this.src) void this.#open(this.src);
    else if (file) void this.#open(file);
    else if (this.files.length)
      this.error = new Error(
        'none of these files is a model: a SavedModel (.pb or .cpb), keras_metadata.pb, a SameDiff .zip or .fb',
      );
  }

  /** @param {string | File} input */
  async #open(input) {
    const opening = (this.opening = new AbortController());
    try {
      const session = (this.session = new Session(input, this.files));
      session.addEventListener('fetched', () => {
        this.requestUpdate();
        this.dispatchEvent(new CustomEvent('progress', { detail: this.fetched }));
      });
      await session.open(opening.signal);
      if (opening.signal.aborted) return;
      this.opened = true;
      this.dispatchEvent(new CustomEvent('open', { detail: session.about }));
    } catch (error) {
      if (this.opening !== opening) return;
      this.session?.close();
      this.error = error;
      this.dispatchEvent(new CustomEvent('failed', { detail: error }));
    }
  }

  /** The meta graph remains, unless another is meant. @param {Place} to */
  #go({ panel, at = '', node = '', view = {} }) {
    const { meta } = this.view;
    if (panel !== this.panel) this.renderRoot.querySelector('main')?.scrollIntoView?.({ block: 'nearest' });
    Object.assign(this, { panel, at, node, view: viewOf({ meta, ...view }) });
    this.dispatchEvent(new CustomEvent('navigate', { detail: { replace: false } }));
  }

  /** @param {Record<string, string | number | undefined>} change */
  #see(change) {
    this.view = viewOf({ ...this.view, ...change });
    this.dispatchEvent(new CustomEvent('navigate', { detail: { replace: true } }));
  }

  #onDrag = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    this.dropping = true;
  };

  #onDrop = async (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    this.dropping = false;
    this.#choose(await filesOf(event.dataTransfer));
  };

  /** @param {File[]} files */
  #choose(files) {
    if (!files.length) return;
    this.src = '';
    this.files = files;
    this.#go({ panel: 'overview', view: { meta: '' } });
  }

  /** @param {string} url */
  #visit(url) {
    const again = url === this.src;
    this.files = [];
    this.src = url;
    if (again) this.#reopen();
    this.#go({ panel: 'overview', view: { meta: '' } });
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const url = new FormData(/** @type {HTMLFormElement} */ (event.target)).get('url');
    this.#visit(String(url ?? '').trim());
  }

  render() {
    const open = this.session && this.opened;
    return html`<div class=${this.dropping ? 'dropping' : ''}>
      <div class="top">
        <header>
          ${this.bare ? nothing : this.#form()} ${this.session && open ? this.#status(this.session) : nothing}
        </header>
        ${open ? this.#tabs() : nothing}
      </div>
      <main>${this.#body()}</main>
    </div>`;
  }

  #form() {
    return html`<div class="title">
      <h1>${icon}Model inspector</h1>
      <form @submit=${this.#submit}>
        <input
          type="text"
          inputmode="url"
          autocomplete="url"
          spellcheck="false"
          name="url"
          required
          aria-label="URL of a model"
          placeholder="https://…/saved_model.pb"
          .value=${this.src}
        />
        <button class="main">Open</button>
        ${this.#picker('File', false)} ${this.#picker('Folder', true)}
      </form>
    </div>`;
  }

  /** @param {string} title @param {boolean} folder */
  #picker(title, folder) {
    return html`<label class="file"
      >${title}…
      <input
        type="file"
        aria-label=${`Open a ${title.toLowerCase()}`}
        ?webkitdirectory=${folder}
        @change=${(/** @type {any} */ e) => {
          this.#choose([...e.target.files]);
          e.target.value = '';
        }}
    /></label>`;
  }

  /** @param {Session} session */
  #status({ name, about, fetched, bytes }) {
    return html`<p class="status">
      <code class="name" title=${plain(name)}>${plain(name.split('?')[0]?.split('/').slice(-2).join('/'))}</code
      ><span class="chip">${about.kind.replaceAll('_', ' ')}</span><span>${size(about.size)}</span>
      <span>${size(bytes)} read in ${counted(fetched.length, 'request')}</span>
    </p>`;
  }

  /** The panels of this kind of model. */
  get #shown() {
    return Object.entries(panels).filter(([, { kinds }]) => kinds.includes(this.session?.about.kind ?? ''));
  }

  get #current() {
    return this.#shown.some(([name]) => name === this.panel) ? this.panel : 'overview';
  }

  #tabs() {
    const current = this.#current;
    return html`<nav class="tabs" aria-label="Panels">
      <div role="tablist" class="scroll" aria-label="Panels" @keydown=${this.#onKey}>
        ${this.#shown.map(
          ([name, { title }]) =>
            html`<button
              role="tab"
              id="tab-${name}"
              aria-selected=${name === current}
              aria-controls="panel"
              tabindex=${name === current ? 0 : -1}
              @click=${() => this.#go({ panel: name })}
            >
              ${title}
            </button>`,
        )}
      </div>
    </nav>`;
  }

  #body() {
    const { session } = this;
    if (this.error) return failure(this.error, () => this.#reopen());
    if (session && !this.opened)
      return html`<cpb-progress
        .session=${session}
        .text=${'Opening…'}
        @cancel=${() => this.opening?.abort()}
      ></cpb-progress>`;
    if (!session) return this.#start();
    const current = this.#current;
    const here = current === this.panel;
    return html`<section role="tabpanel" id="panel" aria-labelledby="tab-${current}">
      ${panels[current]?.render(session, here ? this.at : '', here ? this.node : '', here ? this.view : viewOf({ meta: this.view.meta }))}
    </section>`;
  }

  #start() {
    return html` <div class="drop">
        <h2>Drop a model here</h2>
        <p>A file, or a whole folder. Only the parts that you look at are read, and nothing leaves your machine.</p>
        <div>
          ${['saved_model.pb', 'saved_model.cpb', 'frozen graph', 'keras_metadata.pb', 'SameDiff .zip', 'SameDiff .fb'].map((one) => html`<span class="chip">${one}</span>`)}
        </div>
      </div>
      ${
        this.examples.length
          ? html`<h2>Or look at an example</h2>
              <div class="examples">
                ${this.examples.map(({ title, about, url }) => html`<button @click=${() => this.#visit(url)}><b>${title}</b><span>${about}</span></button>`)}
              </div>`
          : nothing
      }`;
  }

  /** Arrows, Home and End go from tab to tab. @param {KeyboardEvent} event */
  #onKey(event) {
    const tabs = /** @type {HTMLElement[]} */ ([.../** @type {HTMLElement} */ (event.currentTarget).children]);
    const at = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab?.focus();
    tab?.click();
  }
}

/** Without what is empty. @param {Record<string, string | number | undefined>} texts @returns {View} */
const viewOf = (texts) =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, String(text)]])),
  );

customElements.define('cpb-inspector', CpbInspector);
