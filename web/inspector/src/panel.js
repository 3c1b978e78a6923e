/** What all panels have: the session, what is selected, and how an answer is awaited. */
import { Task } from '@lit/task';
import { css, html, LitElement, nothing } from 'lit';
import { look } from './look.js';

/** @typedef {import('./session.js').Session} Session */

export class Panel extends LitElement {
  static properties = {
    session: { attribute: false },
    at: {},
  };
  static styles = [look, css`:host { display: block; }`];

  constructor() {
    super();
    /** @type {Session} */
    this.session;
    /** what is selected in this panel */
    this.at = '';
  }

  /** Asks when what it depends on changed.
   * @param {(args: any[], options: { signal: AbortSignal }) => Promise<any>} ask
   * @param {() => any[]} [depends] */
  asking(ask, depends = () => []) {
    return new Task(this, { task: ask, args: () => [this.session, ...depends()] });
  }

  /** @param {Task<any, any>} task @param {(answer: any) => unknown} render */
  answer(task, render) {
    return task.render({
      pending: () => html`<p class="wait" role="status">Reading…</p>`,
      complete: (answer) => html`${shown(answer, render)}${problems(answer?.problems)}`,
      error: (error) => failure(error),
    });
  }

  /** Goes to a panel, and to something in it.
   * @param {string} panel @param {string} [at] */
  go(panel, at = '') {
    this.dispatchEvent(
      new CustomEvent('go', { detail: { panel, at }, bubbles: true, composed: true }),
    );
  }

  /** @param {string} panel @param {string} at @param {unknown} text */
  link(panel, at, text = at) {
    return html`<button class="link" @click=${() => this.go(panel, at)}>${text}</button>`;
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

/** @param {{ offset?: number, text: string }[] | undefined} list */
const problems = (list) =>
  list?.length
    ? html`<section class="problems">
        <h3>What could not be made out</h3>
        <ul>
          ${list.map(
            ({ text, offset }) => html`<li>${text}${offset === undefined ? nothing : ` (at byte ${offset})`}</li>`,
          )}
        </ul>
      </section>`
    : nothing;

/** What is wrong, and what can be done. */
export function failure(/** @type {any} */ error) {
  const help =
    error?.code === 'CORS'
      ? html`<p>
          The server must allow pages of other origins to read it by range: see “CORS” in the
          documentation of libcpb for the rules of each object store.
        </p>`
      : nothing;
  return html`<div class="failure" role="alert">
    <p><strong>${error?.code ?? 'Error'}</strong> ${error?.message ?? String(error)}</p>
    ${help}
  </div>`;
}

/**
 * The pages of a list.
 *
 * @param {{ total: number, first: number, items: unknown[] }} list
 * @param {(first: number) => void} turn
 * @param {number} [count] of a page
 */
export function pager({ total, first, items }, turn, count = 100) {
  if (total <= items.length) return nothing;
  return html`<nav class="pager" aria-label="Pages">
    <button ?disabled=${first === 0} @click=${() => turn(Math.max(0, first - count))}>Back</button>
    <span>${(first + 1).toLocaleString('en')} to ${(first + items.length).toLocaleString('en')} of ${total.toLocaleString('en')}</span>
    <button ?disabled=${first + items.length >= total} @click=${() => turn(first + count)}>On</button>
  </nav>`;
}
