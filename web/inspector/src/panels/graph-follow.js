/** Following the data of the selected node: all that it needs, all that needs it, or the way to another node. */
import { css, html, nothing } from 'lit';
import { count, plain } from '../format.js';
import { broken, Panel } from '../panel.js';

/** @import { View } from '../inspector.js' */

/** The choices, by their names in the view. @type {Record<string, [choice: string, title: string]>} */
const ways = {
  upstream: ['All it needs', 'Needs'],
  downstream: ['All that needs it', 'Needed by'],
  path: ['Way to…', 'The shortest way'],
};

/** Whether the other node of a path is yet to be chosen. @param {View} view */
const isPicking = ({ follow, to }) => follow === 'path' && !to;

/** Selects a node; or, for a path, the other node. @param {Pick<Panel, 'at' | 'node' | 'view' | 'go'>} panel
 * @param {string} id */
export function lead(panel, id) {
  const { view } = panel;
  if (isPicking(view) && panel.node && panel.node !== id) panel.go('graph', panel.at, panel.node, { ...view, to: id });
  else panel.go('graph', panel.at, id, view.follow === 'path' ? without(view) : view);
}

/** @param {View} view @returns {View} */
const without = ({ follow: _, to: __, ...view }) => view;

/** What else is drawn, by the view. @param {View} view */
export const extrasOf = ({ control, all }) => ({ control: control === '1', all: all === '1' });

/** The answer; undefined if nothing is followed.
 * @param {any} session @param {{ at: string, node: string, open?: string[], view: View }} place
 * @param {AbortSignal} signal */
export const following = (session, { at, node, open, view }, signal) =>
  view.follow && node && open && !isPicking(view)
    ? session.look('follow', { at, node, open, follow: view.follow, to: view.to, ...extrasOf(view), signal })
    : undefined;

class GraphFollow extends Panel {
  static properties = { ...Panel.properties, open: { attribute: false } };
  static styles = [
    ...Panel.styles,
    css`
      :host {
        margin: 0.5rem 0;
      }
      [aria-pressed='true'] {
        font-weight: 600;
        text-decoration: none;
      }
      ol {
        max-height: 16rem;
        overflow-y: auto;
        margin: 0.3rem 0;
      }
      li {
        display: flex;
        gap: 0.5rem;
        align-items: baseline;
      }
      li > :first-child {
        flex: 0 0 1.6rem;
        text-align: right;
      }
    `,
  ];

  constructor() {
    super();
    /** scopes @type {string[] | undefined} */
    this.open = undefined;
  }

  #found = this.asking(
    ([session, at, node, open, view], { signal }) => following(session, { at, node, open, view }, signal),
    () => [this.at, this.node, this.open, this.view],
  );

  render() {
    return html`<div class="bar" role="group" aria-label="Follow">
        ${Object.entries(ways).map(([way, [choice]]) => {
          const isOn = this.view.follow === way;
          const view = isOn ? without(this.view) : { ...without(this.view), follow: way };
          return html`<button
            class="link"
            aria-pressed=${isOn}
            @click=${() => this.go('graph', this.at, this.node, view)}
          >
            ${choice}
          </button>`;
        })}
      </div>
      ${isPicking(this.view) ? html`<p role="status">Choose the other node: in the drawing, or by its name above.</p>` : this.answer(this.#found, (answer) => (answer ? this.list(answer) : nothing))}`;
  }

  /** @param {any} answer */
  list({ items, total }) {
    const { follow = '', to } = this.view;
    if (!total) return html`<p class="dim">${to ? html`No way leads to <code>${plain(to)}</code>.` : 'Nothing.'}</p>`;
    return html`<h3>${ways[follow]?.[1]} · ${count(total)}</h3>
      <ol class="bare" aria-label="By distance">
        ${items.map(
          (/** @type {any} */ one) =>
            html`<li>
              <span class="dim small" title="distance">${count(one.distance)}</span>
              <span>${this.#node(one)} <span class="dim small">${plain(one.op ?? one.is)}</span></span>
            </li>`,
        )}
      </ol>
      ${total > items.length ? html`<p class="dim small">and ${count(total - items.length)} farther ones</p>` : nothing}`;
  }

  /** @param {any} one */
  #node({ name, function: graph }) {
    if ((graph ?? '') !== this.at.replace(/^\/.*$/, '')) return this.link('graph', graph || '/', name, name);
    return html`<button class="link" @click=${() => this.go('graph', this.at, name, without(this.view))}>
      ${broken(name)}
    </button>`;
  }
}

customElements.define('cpb-graph-follow', GraphFollow);
