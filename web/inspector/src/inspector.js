/**
 * <cpb-inspector src="…">: looks inside a model. docs/embedding.md describes it.
 *
 * Attributes and properties: `src`, the URL of a model; `panel`, the shown panel; `at` and
 * `node`, the selection there; `bare`, without the form that opens another model; `theme`,
 * light or dark, by default the page's. Properties: `view`, the view of the place; `files`, a
 * model's files, used if `src` is empty; `examples`, offered while no model is open. Events:
 * `open` when a model is open, `failed` with the error, `navigate` when the reader goes
 * elsewhere (`replace`: changes only the view), `progress` when bytes were fetched.
 */
import { html, LitElement, nothing, svg } from 'lit';
import { addressOf } from './address.js';
import { MOST } from './answers.js';
import { failure } from './errors.js';
import { count, counted, kindName, plain, size, told } from './format.js';
import { filesOf, modelsAmong, partsOf, pathOf } from './files.js';
import { inspectorLook } from './inspector-look.js';
import { look } from './look.js';
import { nameOf } from './panels/headline.js';
import { isEmpty, panels, titleOf } from './panels.js';
import { Session } from './session.js';
import { start, startLook } from './start.js';
import { waiting } from './progress.js';

/** @import { Example } from './start.js' */

/**
 * The view of a place: texts by name, such as `open` scopes, or the `first` item shown of a list. Each panel has its
 * own, except for `meta`, the meta graph's number, and `tag`, SameDiff's, which all share.
 * @typedef {Record<string, string>} View
 */
/** @typedef {{ panel: string, at?: string, node?: string, view?: View }} Place */

/** @param {import('lit').TemplateResult} parts of a picture with lines, in 16 by 16 */
const picture = (parts) => html`<svg viewBox="0 0 16 16" aria-hidden="true">${parts}</svg>`;
const logo = picture(
  svg`<g stroke="none"><rect x="1" y="2" width="14" height="3" rx="1" /><rect x="1" y="7" width="9" height="3" rx="1" opacity=".75" /><rect x="1" y="12" width="12" height="3" rx="1" opacity=".5" /></g>`,
);
const lens = picture(svg`<path d="M10.5 10.5 14 14M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0Z" />`);
const corners = picture(svg`<path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" />`);
const lines = picture(svg`<path d="M2 4h12M2 8h12M2 12h12" />`);

/** Fields where a key is a letter. */
const FIELDS = 'input, select, textarea, [contenteditable]';

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
    graphs: { state: true },
    without: { state: true },
    dropping: { state: true },
  };
  static styles = [look, inspectorLook, startLook];

  /** the tab that was brought into view */
  #tab = /** @type {Element | null} */ (null);
  /** the shown panel @type {HTMLElement | undefined} */
  #element;
  /** the model and meta graph whose overview was asked for */
  #known = '';

  constructor() {
    super();
    /** @type {string | File | undefined} the input that could not be opened */
    this.input;
    this.src = '';
    /** @type {File[]} a model's files, including those next to it */
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
    /** the meta graphs of a SavedModel @type {{ number: number, tags: string[] }[]} */
    this.graphs = [];
    /** panels that have nothing for this model @type {string[]} */
    this.without = [];
    /** @type {any} */
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
    removeEventListener('keydown', this.#onLetter);
    this.#end();
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener('keydown', this.#onLetter);
    if (this.hasUpdated) this.#reopen();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('src') || changed.has('files')) this.#reopen();
    if (!this.session) return;
    Object.assign(this.session, { metaGraph: this.#metaGraph, tag: this.view.tag ?? '' });
    if (this.opened) void this.#look(this.session);
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

  /** The transfer so far: requests and bytes. */
  get fetched() {
    return { requests: this.session?.fetched.length ?? 0, bytes: this.session?.bytes ?? 0 };
  }

  #end() {
    this.opening?.abort();
    this.session?.close();
    this.session = this.error = this.opening = this.#element = undefined;
    this.opened = false;
    this.graphs = [];
    this.without = [];
    this.#known = '';
  }

  #reopen() {
    this.#end();
    const [file, ...more] = modelsAmong(this.files);
    if (this.src) void this.#open(this.src);
    else if (more.length) this.error = { choices: modelsAmong(this.files).map(pathOf) };
    else if (file) void this.#open(file, { beside: this.files });
    else if (this.files.length)
      this.error = Object.assign(new Error(`none of these ${this.files.length} files is a model`), { code: 'FORMAT' });
  }

  /** @param {string | File} input @param {{ beside?: File[], whole?: boolean, entry?: string }} [options] */
  async #open(input, options) {
    const opening = (this.opening = new AbortController());
    try {
      const session = (this.session = new Session(input, options));
      session.addEventListener('fetched', () => {
        this.requestUpdate();
        this.dispatchEvent(new CustomEvent('progress', { detail: this.fetched }));
      });
      session.addEventListener('replaced', () => (this.view = { ...this.view })); // panels ask again
      await session.open(opening.signal);
      if (opening.signal.aborted) return;
      this.opened = true;
      this.dispatchEvent(new CustomEvent('open', { detail: session.about }));
    } catch (error) {
      if (this.opening !== opening) return;
      this.session?.close();
      this.error = error;
      this.input = input;
      this.dispatchEvent(new CustomEvent('failed', { detail: error }));
    }
  }

  /** Downloads a file that the server sends only as a whole. @param {string} url */
  #download(url) {
    this.#end();
    void this.#open(url, { whole: true });
  }

  /** Finds the meta graphs to choose from and the panels that would be empty. @param {Session} session */
  async #look(session) {
    const { metaGraph, tag } = session;
    const known = JSON.stringify([session.input, metaGraph, tag]);
    if (this.#known === known) return;
    this.#known = known;
    const ask = (/** @type {string} */ question, options = {}) =>
      session.ask(question, { ...options, unasked: true }).catch(() => undefined); // its panel says why
    const overview = await ask('overview');
    if (this.#known !== known) return;
    this.graphs = overview?.meta_graphs?.items ?? [];
    this.without = Object.keys(panels).filter((name) => isEmpty(name, overview));
    // The overview asks for the layers, too.
    const { layers } = (this.#current === 'overview' && (await ask('layers', { count: MOST }))) || {};
    if (this.#known === known && layers?.total === 0) this.without = [...this.without, 'layers'];
  }

  /** The meta graph or tag remains, unless another is meant. @param {Place} to */
  #go({ panel, at = '', node = '', view = {} }) {
    const { meta, tag } = this.view;
    if (panel !== this.panel) this.renderRoot.querySelector('main')?.scrollIntoView?.({ block: 'nearest' });
    Object.assign(this, { panel, at, node, view: viewOf({ meta, tag, ...view }) });
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
    this.#go({ panel: 'overview', view: { meta: '', tag: '' } });
  }

  /** @param {string} url */
  #visit(url) {
    const again = url === this.src;
    this.files = [];
    this.src = url;
    if (again) this.#reopen();
    this.#go({ panel: 'overview', view: { meta: '', tag: '' } });
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const url = new FormData(/** @type {HTMLFormElement} */ (event.target)).get('url');
    this.#visit(addressOf(String(url ?? '')));
  }

  render() {
    const { session, opened } = this;
    const fills = opened && this.#current === 'graph';
    const title = this.bare
      ? nothing
      : html`<h1>${logo}Model inspector</h1>
          ${this.#form()}`;
    return html`<div class="room ${this.dropping ? 'dropping' : ''} ${fills ? 'fills' : ''}">
      <header>${session && opened ? this.#bar(session) : title}</header>
      ${session ? damaged(session) : nothing}
      <main>${this.#body()}</main>
    </div>`;
  }

  #form() {
    return html`<form @submit=${this.#submit}>
      <input
        type="text"
        inputmode="url"
        autocomplete="url"
        spellcheck="false"
        name="url"
        required
        aria-label="URL of a model"
        placeholder="https://…/saved_model.pb, or a folder"
        .value=${this.src}
      />
      <button class="main">Open</button>
      ${this.#picker('File', false)} ${this.#picker('Folder', true)}
    </form>`;
  }

  /** The model's name, the panels, and the rest in a menu. @param {Session} session */
  #bar({ about }) {
    const { path, kind } = about;
    return html`<div class="name">
        <h1 title=${plain(path)}>${plain(nameOf(path))}</h1>
        <p class="dim">${kindName(kind)} · ${size(about.size)}</p>
      </div>
      ${this.graphs.length > 1 ? this.#graphPicker() : nothing} ${this.#tabs(kind)}
      ${
        document.fullscreenEnabled
          ? html`<button class="icon" aria-label="Full screen" title="Full screen (F)" @click=${this.#toggleFull}>
              ${corners}
            </button>`
          : nothing
      }
      <button class="icon more" popovertarget="menu" aria-label="Menu" title="About the file, and others">
        ${lines}
      </button>
      ${this.#menu()}`;
  }

  /** What was read of the file, and the form that opens another one. */
  #menu() {
    const { about, bytes, fetched } = /** @type {Session} */ (this.session);
    return html`<div id="menu" class="box" popover @beforetoggle=${this.#place}>
      <p><code>${plain(partsOf(about.path).slice(-2).join('/'))}</code></p>
      <p class="dim">${size(bytes)} read in ${counted(fetched.length, 'request')}</p>
      ${this.bare ? nothing : this.#form()}
    </div>`;
  }

  /** Below its button. @param {Event} event */
  #place = ({ target }) => {
    const { right, bottom } =
      this.renderRoot.querySelector('.more')?.getBoundingClientRect() ?? /** @type {DOMRect} */ ({});
    const from = `${document.documentElement.clientWidth - right}px`;
    Object.assign(/** @type {HTMLElement} */ (target).style, { top: `${bottom + 6}px`, right: from });
  };

  #toggleFull = () => (document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen());

  /** F is for full screen, if it is not text. @param {KeyboardEvent} event */
  #onLetter = (event) => {
    const [target] = /** @type {Element[]} */ (event.composedPath());
    const isHere = event.composedPath().includes(this) || (!this.bare && target === document.body);
    if (event.key !== 'f' || event.ctrlKey || event.metaKey || event.altKey || !isHere) return;
    if (this.opened && !target?.matches?.(FIELDS)) void this.#toggleFull();
  };

  /** @param {string} title @param {boolean} folder */
  #picker(title, folder) {
    return html`<label class="file"
      >${title}…
      <input
        type="file"
        aria-label=${`Open a ${title.toLowerCase()}`}
        ?webkitdirectory=${folder}
        multiple
        @change=${(/** @type {any} */ e) => {
          this.#choose([...e.target.files]);
          e.target.value = '';
        }}
    /></label>`;
  }

  /** One of several meta graphs, which all panels are then about. */
  #graphPicker() {
    const choose = (/** @type {any} */ { target }) =>
      this.#go({ panel: this.#current, view: { meta: target.value === '0' ? '' : target.value } });
    return html`<label class="meta"
      >Meta graph
      <select @change=${choose}>
        ${this.graphs.map(({ number, tags }) => html`<option value=${number} ?selected=${number === this.#metaGraph}>${number}: ${plain(tags.join(', ') || 'without tags')}</option>`)}
      </select></label
    >`;
  }

  /** The panels for this kind of model, without the empty ones but for one that a link leads to. */
  get #shown() {
    const kind = this.session?.about.kind ?? '';
    return Object.keys(panels).filter(
      (name) => panels[name]?.kinds.includes(kind) && (name === this.panel || !this.without.includes(name)),
    );
  }

  get #current() {
    const shown = this.#shown;
    return shown.includes(this.panel) ? this.panel : (shown[0] ?? 'overview');
  }

  /** In a row, or where there is little room as a list to choose from. @param {string} kind */
  #tabs(kind) {
    const current = this.#current;
    const go = (/** @type {string} */ panel) => this.#go({ panel });
    return html`<select class="tabs" aria-label="Panel" @change=${(/** @type {any} */ { target }) => go(target.value)}>
        ${this.#shown.map((name) => html`<option value=${name} .selected=${name === current}>${titleOf(name, kind)}</option>`)}
      </select>
      <nav class="tabs" aria-label="Panels">
        <div role="tablist" class="scroll" aria-label="Panels" @keydown=${this.#onKey}>
          ${this.#shown.map(
            (name) =>
              html`<button
                role="tab"
                id="tab-${name}"
                title=${name === 'search' ? 'Search' : nothing}
                aria-selected=${name === current}
                aria-controls="panel"
                tabindex=${name === current ? 0 : -1}
                @click=${() => go(name)}
              >
                ${name === 'search' ? html`${lens}<span class="unseen">${titleOf(name, kind)}</span>` : titleOf(name, kind)}
              </button>`,
          )}
        </div>
      </nav>`;
  }

  #body() {
    const { session } = this;
    if (this.error?.choices) return this.#choices(this.error.choices);
    if (this.error?.whole) return this.#offer(this.error.whole);
    if (this.error) return failure(this.error, () => this.#reopen());
    if (session && !this.opened) return waiting(session, () => this.opening?.abort(), 'Opening…');
    if (!session) return start(this.examples, (url) => this.#visit(url));
    const current = this.#current;
    const here = current === this.panel;
    return html`<section role="tabpanel" id="panel" aria-labelledby="tab-${current}">
      <h2 class="unseen">${titleOf(current, session.about.kind)}</h2>
      ${this.#filled(current, here ? this : { at: '', node: '', view: viewOf({ meta: this.view.meta, tag: this.view.tag }) })}
    </section>`;
  }

  /** The panel's element, which is the same while its panel is shown.
   * @param {string} name @param {{ at: string, node: string, view: View }} place */
  #filled(name, { at, node, view }) {
    const tag = panels[name]?.tag ?? 'cpb-overview';
    if (this.#element?.localName !== tag) this.#element = document.createElement(tag);
    return Object.assign(this.#element, { session: this.session, at, node, view });
  }

  /**
   * Lets the reader choose one of several models. @param {string[]} names paths of files, or of entries of an archive
   */
  #choices(names) {
    return html`<div class="empty" role="status">
      <p><strong>${counted(names.length, 'model')}</strong>: which one?</p>
      <ul class="bare">
        ${names.map((name) => html`<li><button class="link" @click=${() => this.#take(name)}>${plain(name)}</button></li>`)}
      </ul>
    </div>`;
  }

  /** @param {string} name */
  #take(name) {
    const { input } = this;
    const file = this.files.find((one) => pathOf(one) === name);
    if (typeof input === 'string') return this.#visit(inArchive(input, name));
    this.#end();
    void this.#open(file ?? /** @type {File} */ (input), { beside: this.files, entry: file ? undefined : name });
  }

  /** @param {{ url: string, size?: number }} whole */
  #offer({ url, size: bytes }) {
    return html`<div class="empty" role="status">
      <p><strong>This server sends whole files only</strong>, not the parts of them that you look at.</p>
      <p><code>${plain(url)}</code></p>
      <p>
        <button class="main" @click=${() => this.#download(url)}>
          Download ${bytes === undefined ? 'it, whatever its size' : size(bytes)}
        </button>
      </p>
      <p class="dim">It stays in this tab; nothing is sent anywhere.</p>
    </div>`;
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

/** Where a damaged model ends, above everything that is shown of it. @param {Session} session */
const damaged = ({ damage, about }) =>
  damage
    ? html`<p class="damage" role="alert">
        <strong>This file is damaged or incomplete.</strong>
        ${damage.offset == null ? `It has ${count(about.size)} bytes; ` : `Byte ${count(damage.offset)}: `}${told(damage.text)}.
        What could be read is shown.
      </p>`
    : nothing;

/**
 * The address of a file in an archive.
 *
 * @param {string} archive its own
 * @param {string} name
 */
function inArchive(archive, name) {
  const end = archive.search(/[?#]|$/);
  return `${archive.slice(0, end)}!/${name.split('/').map(encodeURIComponent).join('/')}${archive.slice(end)}`;
}

/** Without empty values. @param {Record<string, string | number | undefined>} texts @returns {View} */
const viewOf = (texts) =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, String(text)]])),
  );

customElements.define('cpb-inspector', CpbInspector);
