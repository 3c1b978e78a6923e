/** A table that can be sorted, filtered and paged, whose state the link keeps; and a list of bars. */
import { css, html, nothing } from 'lit';
import { count, percent } from '../format.js';
import { pager } from '../panel.js';

/** Rows of a page. */
const ROWS = 100;

/**
 * @typedef {object} Column
 * @property {string} key its name in links
 * @property {string} title
 * @property {(row: any) => unknown} show
 * @property {(row: any) => number | string} [by] sort key: numbers largest first
 * @property {boolean} [number]
 * @property {boolean} [wide] left out where the page is narrow
 *
 * @typedef {object} Listed
 * @property {any[]} rows in their unsorted order
 * @property {Column[]} columns
 * @property {(row: any) => string} text that a filter searches
 * @property {string} what is listed, such as 'variables'
 * @property {string} [sort] key of the column that it is first sorted by; with '-' in front, in
 *   reverse
 * @property {unknown} [beside] shown next to the filter
 */

export const listing = css`
  th button.sort {
    border: 0;
    background: none;
    padding: 0;
    font-weight: inherit;
    white-space: nowrap;
  }
  th button.sort:hover {
    color: var(--accent);
  }
  th[aria-sort] button.sort {
    color: var(--text);
  }
  .bar input[type='search'] {
    flex: 0 1 18rem;
  }
  .narrow {
    display: none;
  }
  @container (max-width: 40rem) {
    .wide {
      display: none;
    }
    .narrow {
      display: block;
    }
    .bar input[type='search'] {
      flex: 1 1 100%;
    }
  }
`;

/** @param {Column} column @param {any[]} rows @param {boolean} reversed */
function sorted({ by }, rows, reversed) {
  if (!by) return rows;
  const compare = (/** @type {any} */ a, /** @type {any} */ b) =>
    typeof a === 'number' ? b - a : String(a).localeCompare(String(b), 'en', { numeric: true });
  const keyed = rows.map((row) => /** @type {const} */ ([by(row), row]));
  keyed.sort(([a], [b]) => (reversed ? compare(b, a) : compare(a, b)));
  return keyed.map(([, row]) => row);
}

/** The visible rows: those with the filter's text, sorted. @param {Listed} list @param {Record<string, string>} view */
function chosen({ rows, columns, text, sort: usual = '' }, { q = '', sort = usual }) {
  const wanted = q.trim().toLowerCase();
  const left = wanted ? rows.filter((row) => text(row).toLowerCase().includes(wanted)) : rows;
  const column = columns.find(({ key }) => key === sort.replace(/^-/, ''));
  return column ? sorted(column, left, sort.startsWith('-')) : left;
}

/**
 * A column.
 *
 * @param {string} key @param {string} title @param {Column['show']} show @param {Column['by']} [by] @returns {Column}
 */
export const column = (key, title, show, by) => ({ key, title, show, by });

/** A column that is left out where the page is narrow. @param {Column} column @returns {Column} */
export const wide = (column) => ({ ...column, wide: true });

/** A column of types. @param {string} key @param {string} title @param {Column['show']} of @param {Column['by']} [by] */
export const types = (key, title, of, by) =>
  column(key, title, (row) => html`<span class="type">${of(row)}</span>`, by);

/**
 * A column of numbers.
 *
 * @param {string} key also the rows' property
 * @param {string} title
 * @param {Column['show']} [show]
 * @returns {Column}
 */
export const numbers = (key, title, show = (row) => count(row[key])) => ({
  ...column(key, title, show, (row) => Number(row[key])),
  number: true,
});

/** What part of all a row has. @param {any[]} rows @param {(row: any) => number} of @returns {Column} */
export function shares(rows, of) {
  const all = rows.reduce((sum, row) => sum + of(row), 0);
  return { ...column('share', 'Share', (row) => percent(of(row), all)), number: true };
}

/**
 * A table without controls.
 *
 * @param {string} what is listed
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {(column: Column) => unknown} [head]
 */
export const table = (what, columns, rows, head = plainHead) =>
  html`<div class="scroll box" tabindex="0" role="group" aria-label="Table of ${what}">
    <table>
      <thead>
        <tr>
          ${columns.map(head)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map(({ show, ...column }) => html`<td class=${classes(column)}>${show(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/** @param {Column} column */
const plainHead = ({ title, ...column }) => html`<th class=${classes(column)} scope="col">${title}</th>`;

/**
 * @param {import('../panel.js').Panel} panel whose view has `sort`, `q` and `first`
 * @param {Listed} list
 */
export function list(panel, list) {
  const { columns, rows, what } = list;
  const left = chosen(list, panel.view);
  const first = Math.min(Number(panel.view.first) || 0, Math.max(0, left.length - 1));
  const items = left.slice(first, first + ROWS);
  return html`<div class="bar">
      ${list.beside ?? nothing}
      ${
        rows.length > 8
          ? html`<input
              type="search"
              aria-label="Filter ${what}"
              placeholder="Filter ${what}"
              .value=${panel.view.q ?? ''}
              @input=${(/** @type {any} */ e) => panel.see({ q: e.target.value, first: '' })}
            />`
          : nothing
      }
      ${left.length < rows.length ? html`<p role="status">${count(left.length)} of ${count(rows.length)}</p>` : nothing}
    </div>
    ${
      left.length
        ? table(what, columns, items, (column) => head(panel, column, list.sort))
        : html`<p class="empty">None has this in its name.</p>`
    }
    ${pager({ total: left.length, first, items }, (to) => panel.see({ first: to || '' }), ROWS)}`;
}

/** @param {{ number?: boolean, wide?: boolean }} column */
const classes = ({ number, wide }) => `${number ? 'number' : ''} ${wide ? 'wide' : ''}`;

/** A column's head: chosen once it sorts, and again the other way round.
 * @param {import('../panel.js').Panel} panel @param {Column} column @param {string} [usual] */
function head(panel, { key, title, by, ...column }, usual = '') {
  const { sort = usual } = panel.view;
  const [is, reversed] = [sort.replace(/^-/, '') === key, sort.startsWith('-')];
  const descends = Boolean(column.number) !== reversed;
  return html`<th
    class=${classes(column)}
    scope="col"
    aria-sort=${is ? (descends ? 'descending' : 'ascending') : nothing}
  >
    ${
      by
        ? html`<button class="sort" @click=${() => panel.see({ sort: is && !reversed ? `-${key}` : key, first: '' })}>
            ${title}<span class="dim" aria-hidden="true">${is ? (descends ? ' ↓' : ' ↑') : ' ↕'}</span>
          </button>`
        : title
    }
  </th>`;
}

export const barred = css`
  ul.bars {
    display: grid;
    grid-template-columns: minmax(0, max-content) minmax(2rem, 1fr) max-content;
    gap: 0.35rem 0.8rem;
    align-items: center;
    margin: 0;
    padding: 0.7rem 0.8rem;
    list-style: none;
    font-size: 0.9rem;
  }
  .bars li {
    display: contents;
  }
  .bars svg {
    width: 100%;
    height: 0.6rem;
    border-radius: 3px;
    background: var(--row);
  }
  .bars rect {
    fill: var(--accent);
  }
  .bars li > :last-child {
    text-align: right;
    white-space: nowrap;
  }
`;

/** @param {{ name: unknown, size: number, text: unknown }[]} rows the largest first */
export const bars = (rows) =>
  html`<ul class="bars box" role="list">
    ${rows.map(
      ({ name, size, text }) =>
        html`<li>
          <span>${name}</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width=${(100 * size) / (rows[0]?.size || 1)} height="8"></rect>
          </svg>
          <span>${text}</span>
        </li>`,
    )}
  </ul>`;
