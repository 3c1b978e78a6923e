/** Following the data of the selected node: all that it needs, all that needs it, or the way to another node. */
import { css, html, nothing } from 'lit';
import { count, plain } from '../format.js';
import { broken } from '../panel.js';

/** @import { Task } from '@lit/task' */
/** @import { View } from '../inspector.js' */
/** @import { Panel } from '../panel.js' */

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

export const followLook = css`
  [aria-pressed='true'] {
    font-weight: 600;
    text-decoration: none;
  }
  ol.bare {
    max-height: 16rem;
    overflow-y: auto;
  }
  ol.bare li {
    display: flex;
    gap: 0.5rem;
    align-items: baseline;
  }
  ol.bare li > :first-child {
    flex: 0 0 1.6rem;
    text-align: right;
  }
`;

/** Where the data of the panel's node come from and go. @param {Panel} panel @param {Task<any, any>} found */
export function follow(panel, found) {
  const { at, node, view } = panel;
  const choices = Object.entries(ways).map(([way, [choice]]) => {
    const isOn = view.follow === way;
    const other = isOn ? without(view) : { ...without(view), follow: way };
    return html`<button class="link" aria-pressed=${isOn} @click=${() => panel.go('graph', at, node, other)}>
      ${choice}
    </button>`;
  });
  return html`<div class="bar" role="group" aria-label="Follow">${choices}</div>
    ${isPicking(view) ? html`<p role="status">Choose the other node: in the drawing, or by its name above.</p>` : panel.answer(found, (answer) => (answer ? list(panel, answer) : nothing))}`;
}

/** @param {Panel} panel @param {{ items: any[], total: number }} answer */
function list(panel, { items, total }) {
  const { follow = '', to } = panel.view;
  if (!total) return html`<p class="dim">${to ? html`No way leads to <code>${plain(to)}</code>.` : 'Nothing.'}</p>`;
  return html`<h3>${ways[follow]?.[1]} · ${count(total)}</h3>
    <ol class="bare" aria-label="By distance">
      ${items.map(
        (one) =>
          html`<li>
            <span class="dim small" title="distance">${count(one.distance)}</span>
            <span>${nodeOf(panel, one)} <span class="dim small">${plain(one.op ?? one.is)}</span></span>
          </li>`,
      )}
    </ol>
    ${total > items.length ? html`<p class="dim small">and ${count(total - items.length)} farther ones</p>` : nothing}`;
}

/** @param {Panel} panel @param {any} one */
const nodeOf = (panel, { name, function: graph }) =>
  (graph ?? '') === panel.at.replace(/^\/.*$/, '')
    ? panel.link('graph', panel.at, broken(name), name, without(panel.view))
    : panel.link('graph', graph || '/', name, name);
