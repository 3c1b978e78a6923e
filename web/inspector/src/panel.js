/** The base of all panels: the session, the selection, and waiting for answers. */
import { Task } from '@lit/task';
import { css, html, LitElement, nothing } from 'lit';
import { failure, problems } from './errors.js';
import { count, counted, plain, size } from './format.js';
import { look } from './look.js';
import { waiting } from './progress.js';

/** @import { Session } from './session.js' */

export { failure };

/** The pause in typing before a search begins, in milliseconds. */
const PAUSE = 140;

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
  #pause = 0;

  constructor() {
    super();
    /** @type {Session} */
    this.session;
    /** the selection in this panel, and within the selection */
    this.at = '';
    this.node = '';
    /** the view, which links keep: unfolded parts, the page of a list
     * @type {import('./inspector.js').View} */
    this.view = {};
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const task of this.#tasks) task.abort();
    clearTimeout(this.#pause);
  }

  /** Does something once nothing more is typed; the last one counts. @param {() => void} [act] */
  pausing(act = () => {}) {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(act, PAUSE);
  }

  /** Asks when its dependencies have changed.
   * @param {(args: any[], options: { signal: AbortSignal }) => Promise<any>} ask
   * @param {() => any[]} [depends] */
  asking(ask, depends = () => []) {
    const task = new Task(this, {
      task: ask,
      args: () => /** @type {any[]} */ ([this.session, ...depends(), this.view.meta, this.session?.round]),
    });
    this.#tasks.push(task);
    return task;
  }

  /** @param {Task<any, any>} task @param {(answer: any) => unknown} render */
  answer(task, render) {
    return task.render({
      pending: () => waiting(this.session, () => task.abort()),
      complete: (answer) => html`${shown(answer, render)}${problems(answer?.problems)}`,
      error: (error) => failure(error, () => task.run()),
    });
  }

  /** Goes to a panel, and to an item in it: a new place in the page's history.
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

  /** @param {string} panel @param {string} at @param {unknown} [text] or what stands for it @param {string} [node]
   * @param {import('./inspector.js').View} [view] */
  link(panel, at, text = at, node = '', view = {}) {
    return html`<button class="link" @click=${() => this.go(panel, at, node, view)}>
      ${typeof text === 'object' ? text : plain(text)}
    </button>`;
  }
}

/** The cost of the rest of an answer that stopped at its budget.
 * @param {Task<any, any>} task @returns {import('./model/budget.js').Cost | undefined} */
export const priceOf = ({ error }) => /** @type {any} */ (error)?.price;

/**
 * A part that was not read, its cost, and a button to read it. @param {Session} session @param {string} what
 * @param {import('./model/budget.js').Cost} price
 */
export const offer = (session, what, { requests, bytes }) =>
  html`<span role="status"
    >${what}: about ${counted(requests, 'request')}, ${size(bytes)}.
    <button @click=${() => session.pay()}>Read them</button></span
  >`;

/** An answer that a panel cannot show must not leave it waiting.
 * @param {any} answer @param {(answer: any) => unknown} render */
function shown(answer, render) {
  try {
    return render(answer);
  } catch (error) {
    return failure(error);
  }
}

/**
 * The pages of a list.
 *
 * @param {{ total: number, first: number, items: ArrayLike<unknown> }} list
 * @param {(first: number) => void} turn
 * @param {number} [size] of a page
 * @param {string} [label] for screen readers
 */
export function pager({ total, first, items }, turn, size = 100, label = 'Pages') {
  if (total <= items.length) return nothing;
  return html`<nav class="bar pager" aria-label=${label}>
    <button ?disabled=${first === 0} @click=${() => turn(Math.max(0, first - size))}>Previous</button>
    <span>${count(first + 1)} to ${count(first + items.length)} of ${count(total)}</span>
    <button ?disabled=${first + items.length >= total} @click=${() => turn(first + size)}>Next</button>
  </nav>`;
}

/**
 * Buttons, one of which is chosen.
 *
 * @param {string} label @param {string[]} names @param {string | undefined} chosen @param {(name: string) => void} choose
 */
export const choices = (label, names, chosen, choose) =>
  names.length
    ? html`<div class="bar choices" role="group" aria-label=${label}>
        ${names.map((name) => html`<button aria-current=${name === chosen} @click=${() => choose(name)}>${plain(name)}</button>`)}
      </div>`
    : nothing;

/**
 * A list under a title, if it has anything.
 *
 * @param {unknown} title @param {any[]} items @param {(one: any) => unknown} [show]
 */
export const titled = (title, items, show = (one) => one) =>
  items.length
    ? html`<h3>${title}</h3>
        <ul>
          ${items.map((one) => html`<li>${show(one)}</li>`)}
        </ul>`
    : nothing;

/** The number of characters that fit on a line. */
const FITS = 30;

/** Lets a long name break only at the end of a word.
 * @param {string} name */
export const broken = (name) =>
  name.length <= FITS
    ? plain(name)
    : plain(name)
        .split(/(?<=[_/:])/)
        .map((part) => html`${part}<wbr />`);
