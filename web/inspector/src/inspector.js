/**
 * <cpb-inspector src="…">: looks inside a model.
 *
 * Attributes and properties: `src`, the URL of a model (or set `file` to a File); `panel`,
 * which of the panels is shown; `at`, what is selected there. Events: `navigate` when the
 * reader went elsewhere, `open` when a model is open, `failed` with the error.
 */
import { css, html, LitElement, nothing } from 'lit';
import { size, counted } from './format.js';
import { look } from './look.js';
import { failure } from './panel.js';
import { modelAmong, Session } from './session.js';
import './panels/bytes.js';
import './panels/file.js';
import './panels/functions.js';
import './panels/graph.js';
import './panels/layers.js';
import './panels/objects.js';
import './panels/overview.js';
import './panels/search.js';
import './panels/signatures.js';

/** The panels, and the kinds of models that have them.
 * @type {Record<string, { title: string, kinds: string[], render: (session: Session, at: string) => unknown }>} */
const panels = {
  overview: { title: 'Overview', kinds: ['saved_model', 'samediff_zip', 'samediff_graph', 'keras_metadata', 'graph_def'], render: (s, at) => html`<cpb-overview .session=${s} .at=${at}></cpb-overview>` },
  signatures: { title: 'Signatures', kinds: ['saved_model'], render: (s, at) => html`<cpb-signatures .session=${s} .at=${at}></cpb-signatures>` },
  objects: { title: 'Objects', kinds: ['saved_model'], render: (s, at) => html`<cpb-objects .session=${s} .at=${at}></cpb-objects>` },
  layers: { title: 'Layers', kinds: ['saved_model', 'keras_metadata'], render: (s, at) => html`<cpb-layers .session=${s} .at=${at}></cpb-layers>` },
  functions: { title: 'Functions', kinds: ['saved_model', 'graph_def'], render: (s, at) => html`<cpb-functions .session=${s} .at=${at}></cpb-functions>` },
  graph: { title: 'Graph', kinds: ['saved_model', 'graph_def', 'samediff_zip', 'samediff_graph'], render: (s, at) => html`<cpb-graph .session=${s} .at=${at}></cpb-graph>` },
  bytes: { title: 'Bytes', kinds: ['saved_model', 'graph_def', 'samediff_zip', 'samediff_graph'], render: (s, at) => html`<cpb-bytes .session=${s} .at=${at}></cpb-bytes>` },
  file: { title: 'File', kinds: ['saved_model', 'graph_def', 'samediff_zip', 'samediff_graph', 'keras_metadata'], render: (s) => html`<cpb-file-map .session=${s}></cpb-file-map>` },
  search: { title: 'Search', kinds: ['saved_model', 'graph_def', 'samediff_zip', 'samediff_graph', 'keras_metadata'], render: (s, at) => html`<cpb-search .session=${s} .at=${at}></cpb-search>` },
};

export class CpbInspector extends LitElement {
  static properties = {
    src: {},
    file: { attribute: false },
    panel: {},
    at: {},
    session: { state: true },
    error: { state: true },
    dropping: { state: true },
  };
  static styles = [
    look,
    css`
      :host { display: block; min-height: 100vh; background: var(--page); }
      header, main { max-width: 80rem; margin: auto; padding: 0 1.25rem; }
      header { padding-top: 1.25rem; }
      h1 { font-size: 1.3rem; margin: 0 0 .6rem; }
      form { display: flex; gap: .5rem; flex-wrap: wrap; }
      form input[type='url'] { flex: 1 1 18rem; min-width: 0; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); padding: .35rem .6rem; }
      label.file { border: 1px solid var(--line); background: var(--panel); border-radius: 6px; padding: .35rem .8rem; cursor: pointer; }
      label.file:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
      label.file input { position: absolute; opacity: 0; width: 1px; }
      .status { display: flex; gap: 1rem; flex-wrap: wrap; color: var(--dim); font-size: .9rem; margin: .6rem 0 0; overflow-wrap: anywhere; }
      [role='tablist'] { display: flex; gap: .15rem; overflow-x: auto; border-bottom: 1px solid var(--line); margin: .75rem 0 1rem; }
      [role='tab'] { border: 0; background: none; border-bottom: 2px solid transparent; border-radius: 0; padding: .4rem .8rem; white-space: nowrap; }
      [role='tab'][aria-selected='true'] { border-color: var(--accent); color: var(--accent); }
      .drop { border: 2px dashed var(--line); border-radius: 12px; padding: 3rem 1rem; text-align: center; color: var(--dim); margin-top: 1.5rem; }
      .dropping .drop, .dropping main { outline: 2px dashed var(--accent); outline-offset: 6px; border-radius: 12px; }
    `,
  ];

  constructor() {
    super();
    this.src = '';
    /** @type {File | undefined} */
    this.file;
    /** @type {File[]} what came with the file */
    this.beside = [];
    this.panel = 'overview';
    this.at = '';
    /** @type {Session | undefined} */
    this.session;
    /** @type {unknown} */
    this.error;
    this.dropping = false;
    /** @type {AbortController | undefined} */
    this.opening;
    this.addEventListener('go', (event) => this.#go(/** @type {CustomEvent} */ (event).detail));
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener('dragover', this.#onDrag);
    addEventListener('drop', this.#onDrop);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('dragover', this.#onDrag);
    removeEventListener('drop', this.#onDrop);
    this.opening?.abort();
    this.session?.close();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('src') && this.src) void this.#open(this.src);
    else if (changed.has('file') && this.file) void this.#open(this.file);
  }

  /** @param {string | File} input */
  async #open(input) {
    this.opening?.abort();
    const opening = (this.opening = new AbortController());
    this.session?.close();
    this.session = this.error = undefined;
    try {
      const session = await Session.open(input, opening.signal, this.beside);
      if (opening.signal.aborted) return session.close();
      this.session = session;
      session.addEventListener('fetched', () => this.requestUpdate());
      this.dispatchEvent(new Event('open'));
    } catch (error) {
      if (opening.signal.aborted) return;
      this.error = error;
      this.dispatchEvent(new CustomEvent('failed', { detail: error }));
    } finally {
      if (this.opening === opening) this.opening = undefined;
      this.requestUpdate();
    }
  }

  /** @param {{ panel: string, at: string }} to */
  #go({ panel, at }) {
    this.panel = panel;
    this.at = at;
    this.dispatchEvent(new Event('navigate'));
  }

  #onDrag = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    this.dropping = true;
  };

  #onDrop = async (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    this.dropping = false;
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
    this.#choose((await Promise.all(entries.map(filesIn))).flat());
  };

  /** @param {File[]} files */
  #choose(files) {
    const file = modelAmong(files);
    if (!file) return;
    this.src = '';
    this.beside = files;
    this.file = file;
    this.#go({ panel: 'overview', at: '' });
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const url = new FormData(/** @type {HTMLFormElement} */ (event.target)).get('url');
    this.src = String(url ?? '');
    this.#go({ panel: 'overview', at: '' });
  }

  render() {
    return html`<div class=${this.dropping ? 'dropping' : ''}>
      <header>
        <h1>Model inspector</h1>
        <form @submit=${this.#submit}>
          <input type="url" name="url" required aria-label="URL of a model" placeholder="https://…/saved_model.pb" .value=${this.src} />
          <button>Open</button>
          ${this.#picker('Open a file', false)} ${this.#picker('Open a folder', true)}
        </form>
        ${this.session ? this.#status(this.session) : nothing}
      </header>
      <main>${this.#body()}</main>
    </div>`;
  }

  /** @param {string} title @param {boolean} folder */
  #picker(title, folder) {
    return html`<label class="file">${title}
      <input type="file" ?webkitdirectory=${folder} @change=${(/** @type {any} */ e) => this.#choose([...e.target.files])} /></label>`;
  }

  /** @param {Session} session */
  #status({ name, model, fetched }) {
    const bytes = fetched.reduce((sum, { length }) => sum + length, 0);
    return html`<p class="status" aria-live="polite">
      <span><code>${name}</code></span><span>${model.kind.replaceAll('_', ' ')}, ${size(model.message.size)}</span>
      <span>${size(bytes)} fetched in ${counted(fetched.length, 'request')}</span>
    </p>`;
  }

  #body() {
    const { session } = this;
    if (this.error) return failure(this.error);
    if (this.opening) return html`<p role="status">Opening… <button @click=${() => this.opening?.abort()}>Cancel</button></p>`;
    if (!session)
      return html`<div class="drop">Drop a model here, or a folder: a SavedModel (.pb or .cpb), keras_metadata.pb, a SameDiff .zip or .fb.<br />
        Only the parts that you look at are read, and nothing leaves this machine.</div>`;
    const shown = Object.entries(panels).filter(([, { kinds }]) => kinds.includes(session.model.kind));
    const current = shown.some(([name]) => name === this.panel) ? this.panel : 'overview';
    return html`
      <div role="tablist" aria-label="Panels" @keydown=${this.#onKey}>
        ${shown.map(([name, { title }]) => html`<button role="tab" id="tab-${name}" aria-selected=${name === current} aria-controls="panel"
          tabindex=${name === current ? 0 : -1} @click=${() => this.#go({ panel: name, at: '' })}>${title}</button>`)}
      </div>
      <section role="tabpanel" id="panel" aria-labelledby="tab-${current}">${panels[current]?.render(session, current === this.panel ? this.at : '')}</section>
    `;
  }

  /** Left and right go from tab to tab. @param {KeyboardEvent} event */
  #onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = /** @type {HTMLElement[]} */ ([.../** @type {HTMLElement} */ (event.currentTarget).children]);
    const at = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    const tab = tabs[(at + step + tabs.length) % tabs.length];
    tab?.focus();
    tab?.click();
  }
}

/**
 * @param {FileSystemEntry | null} entry
 * @returns {Promise<File[]>}
 */
async function filesIn(entry) {
  if (entry?.isFile) return [await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject))];
  if (!entry?.isDirectory) return [];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const entries = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!more.length) break;
    entries.push(...more);
  }
  return (await Promise.all(entries.map(filesIn))).flat();
}

customElements.define('cpb-inspector', CpbInspector);
