/** What all panels have: the session, what is selected, and how an answer is awaited. */
import { Task } from '@lit/task';
import { css, html, LitElement, nothing } from 'lit';
import { count, plain } from './format.js';
import { look } from './look.js';
import './progress.js';

/** @typedef {import('./session.js').Session} Session */

export class Panel extends LitElement {
  static properties = {
    session: { attribute: false },
    at: {},
    node: {},
    view: { attribute: false },
  };
  static styles = [
    look,
    css`
      :host {
        display: block;
      }
    `,
  ];
  /** @type {Task<any, any>[]} */
  #tasks = [];

  constructor() {
    super();
    /** @type {Session} */
    this.session;
    /** what is selected in this panel, and within that */
    this.at = '';
    this.node = '';
    /** how it is seen, which links keep: what is unfolded, the page of a list
     * @type {import('./inspector.js').View} */
    this.view = {};
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const task of this.#tasks) task.abort();
  }

  /** Asks when what it depends on changed.
   * @param {(args: any[], options: { signal: AbortSignal }) => Promise<any>} ask
   * @param {() => any[]} [depends] */
  asking(ask, depends = () => []) {
    const task = new Task(this, {
      task: ask,
      args: () => /** @type {any[]} */ ([this.session, ...depends(), this.view.meta]),
    });
    this.#tasks.push(task);
    return task;
  }

  /** @param {Task<any, any>} task @param {(answer: any) => unknown} render */
  answer(task, render) {
    return task.render({
      pending: () => html`<cpb-progress .session=${this.session} @cancel=${() => task.abort()}></cpb-progress>`,
      complete: (answer) => html`${shown(answer, render)}${problems(answer?.problems)}`,
      error: (error) => failure(error, () => task.run()),
    });
  }

  /** Goes to a panel, and to something in it: a new place in the page's history.
   * @param {string} panel @param {string} [at] @param {string} [node]
   * @param {import('./inspector.js').View} [view] */
  go(panel, at = '', node = '', view = {}) {
    this.#say('go', { panel, at, node, view });
  }

  /** Changes how this place is seen, which is kept with it. Undefined and '' remove.
   * @param {Record<string, string | number | undefined>} change */
  see(change) {
    this.#say('see', change);
  }

  /** To the inspector around it. @param {string} type @param {unknown} detail */
  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** @param {string} panel @param {string} at @param {unknown} [text] @param {string} [node]
   * @param {import('./inspector.js').View} [view] */
  link(panel, at, text = at, node = '', view = {}) {
    return html`<button class="link" @click=${() => this.go(panel, at, node, view)}>${plain(text)}</button>`;
  }
}

/** What a panel cannot show of an answer must not leave it waiting.
 * @param {any} answer @param {(answer: any) => unknown} render */
function shown(answer, render) {
  try {
    return render(answer);
  } catch (error) {
    return failure(error);
  }
}

/** @param {{ offset?: number | null, text: string }[] | undefined} list */
const problems = (list) =>
  list?.length
    ? html`<section class="problems" aria-label="Problems">
        <h3>Parts that could not be read</h3>
        <ul>
          ${list.map(({ text, offset }) => html`<li>${plain(text)}${offset == null ? nothing : ` (at byte ${count(offset)})`}</li>`)}
        </ul>
      </section>`
    : nothing;

/** What a server has to answer so that pages of other origins can read it by range. */
const rules = () => `Access-Control-Allow-Origin: ${location.origin}
Access-Control-Allow-Headers: Range
Access-Control-Expose-Headers: Content-Range, ETag, Retry-After`;

const bucketRules = () =>
  JSON.stringify(
    {
      CORSRules: [
        {
          AllowedOrigins: [location.origin],
          AllowedMethods: ['GET'],
          AllowedHeaders: ['Range'],
          ExposeHeaders: ['Content-Range', 'ETag', 'Retry-After'],
          MaxAgeSeconds: 3600,
        },
      ],
    },
    null,
    2,
  );

const corsHelp = () =>
  html` <p>
      The model is on another server than this page. If it is there at all, its server has to allow this page to read
      it:
    </p>
    <pre tabindex="0" aria-label="Headers to answer with">${rules()}</pre>
    <details>
      <summary>For an S3 bucket</summary>
      <pre tabindex="0" aria-label="Rules of the bucket">
aws s3api put-bucket-cors --bucket NAME --cors-configuration '${bucketRules()}'</pre>
    </details>
    <p>
      Other stores are in libcpb’s <code>web/README.md</code>, under “CORS”. Or download the model and drop it here:
      nothing of it leaves this machine.
    </p>`;

/** What an error means for the reader of a model, by its code. @type {Record<string, string>} */
const meanings = {
  DAMAGED: 'The file is damaged',
  TRUNCATED: 'The file ends too early',
  FORMAT: 'Not a model',
  UNSUPPORTED: 'The file uses a feature that is not supported',
  LIMIT: 'The file exceeds a limit',
  MEMORY: 'Out of memory',
  NOT_FOUND: 'Not found in this model',
  READ: 'The file cannot be read',
  HTTP: 'The server refused the request',
  NETWORK: 'The server cannot be reached, or does not allow this page to read the file',
  TIMEOUT: 'The server did not respond in time',
  RANGE: 'The server does not support range requests correctly',
  CHANGED: 'The file changed while it was read',
  TRAPPED: 'The reader failed',
};

/** An error, and what can be done about it. @param {any} error @param {() => unknown} [again] */
export function failure(error, again) {
  const retry = again && html`<p><button @click=${again}>Try again</button></p>`;
  if (error?.name === 'AbortError')
    return html`<div class="empty" role="status">
      <p>Cancelled.</p>
      ${retry}
    </div>`;
  // The page itself says more about CORS.
  const cors = /CORS/.test(error?.message);
  const message = plain(error?.message ?? error)
    .replace(/; perhaps its CORS rules.*/s, '')
    .replace(/^[a-z](?!\w*:)/, (c) => c.toUpperCase());
  return html`<div class="failure" role="alert">
    <p>
      <strong>${meanings[error?.code] ?? 'An unexpected error occurred'}</strong
      >${error?.code ? html`<code>${error.code}</code>` : nothing}
    </p>
    <p>
      ${message}${error?.offset == null || /offset|byte \d/.test(message) ? nothing : ` (at byte ${count(error.offset)})`}
    </p>
    ${cors ? corsHelp() : nothing} ${retry}
  </div>`;
}

/**
 * The pages of a list.
 *
 * @param {{ total: number, first: number, items: unknown[] }} list
 * @param {(first: number) => void} turn
 * @param {number} [size] of a page
 */
export function pager({ total, first, items }, turn, size = 100) {
  if (total <= items.length) return nothing;
  return html`<nav class="pager" aria-label="Pages">
    <button ?disabled=${first === 0} @click=${() => turn(Math.max(0, first - size))}>Previous</button>
    <span>${count(first + 1)} to ${count(first + items.length)} of ${count(total)}</span>
    <button ?disabled=${first + items.length >= total} @click=${() => turn(first + size)}>Next</button>
  </nav>`;
}
