/** A list of bars: what has how much of the most. */
import { css, html } from 'lit';

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
    font-variant-numeric: tabular-nums;
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
