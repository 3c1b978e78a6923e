/** How everything looks; light and dark by the page's color-scheme, colours by --cpb-… */
import { css } from 'lit';

export const look = css`
  :host {
    --page: var(--cpb-page, light-dark(#f5f6f8, #0f1319));
    --panel: var(--cpb-panel, light-dark(#fff, #171c24));
    --line: var(--cpb-line, light-dark(#dde2e9, #2c3440));
    --text: var(--cpb-text, light-dark(#18202c, #e6eaf0));
    --dim: var(--cpb-dim, light-dark(#535e6e, #a5b0bf));
    --accent: var(--cpb-accent, light-dark(#1d4fd0, #8fb2ff));
    --on-accent: var(--cpb-on-accent, light-dark(#fff, #0f1319));
    --chip: light-dark(#e8eefc, #212d47);
    --row: light-dark(#eef1f5, #1e252f);
    --shade: light-dark(#18202c33, #000b);
    --bad: light-dark(#a01616, #ffb0a8);
    --bad-page: light-dark(#fdf0ef, #2c1a1b);
    --mono: var(--cpb-mono, ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace);
    font: 15px/1.5 var(--cpb-font, system-ui, sans-serif);
    font-variant-numeric: tabular-nums;
    color: var(--text);
  }
  * {
    box-sizing: border-box;
  }
  h2 {
    font-size: 1.05rem;
    line-height: 1.3;
    margin: 1.75rem 0 0.6rem;
  }
  h3 {
    font-size: 0.95rem;
    line-height: 1.35;
    margin: 1.1rem 0 0.4rem;
  }
  p {
    margin: 0.4rem 0;
  }
  ul {
    margin: 0.3rem 0;
    padding-left: 1.2rem;
  }
  .bare {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  code,
  .mono,
  pre {
    font-family: var(--mono);
    font-size: 0.86em;
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  pre {
    background: var(--row);
    border-radius: 8px;
    padding: 0.6rem 0.8rem;
    overflow: auto;
    white-space: pre-wrap;
  }
  summary {
    cursor: pointer;
  }
  .dim {
    color: var(--dim);
  }
  td .type,
  td code.chip {
    white-space: nowrap;
  }
  .small {
    font-size: 0.85rem;
  }
  .type {
    color: var(--dim);
    font-family: var(--mono);
    font-size: 0.82em;
  }
  .empty {
    border: 1px dashed var(--line);
    border-radius: 10px;
    padding: 1.5rem 1rem;
    color: var(--dim);
    text-align: center;
    margin: 1rem 0;
  }
  .failure,
  .problems {
    border: 1px solid var(--bad);
    background: var(--bad-page);
    border-radius: 10px;
    padding: 0.6rem 1rem;
    margin: 1rem 0;
    overflow-wrap: anywhere;
  }
  .failure pre {
    background: var(--panel);
  }
  .failure strong,
  .problems h3 {
    color: var(--bad);
  }
  .failure strong + code {
    color: var(--dim);
    margin-left: 0.4rem;
  }
  .problems h3 {
    margin-top: 0.2rem;
  }
  .box {
    border: 1px solid var(--line);
    background: var(--panel);
    border-radius: 10px;
  }
  /* Where there is more, its edge is in the shade. */
  .scroll {
    --cover: 40%, color-mix(in srgb, var(--panel) 0%, transparent);
    overflow-x: auto;
    background: no-repeat var(--panel);
    background-image:
      linear-gradient(to right, var(--panel) var(--cover)), linear-gradient(to left, var(--panel) var(--cover)),
      linear-gradient(to right, var(--shade), transparent), linear-gradient(to left, var(--shade), transparent);
    background-position: -2px, calc(100% + 2px), left, right;
    background-size:
      2.4rem 100%,
      2.4rem 100%,
      0.8rem 100%,
      0.8rem 100%;
    background-attachment: local, local, scroll, scroll;
  }
  .scroll.box {
    margin: 0.6rem 0;
  }
  table {
    border-collapse: collapse;
    width: 100%;
    font-size: 0.9rem;
  }
  th,
  td {
    text-align: left;
    padding: 0.42rem 0.8rem;
    border-bottom: 1px solid var(--line);
    vertical-align: top;
  }
  tbody tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    color: var(--dim);
    font-weight: 600;
    font-size: 0.82rem;
    white-space: nowrap;
  }
  td.number,
  th.number {
    text-align: right;
    white-space: nowrap;
  }
  th[scope='row'] {
    white-space: nowrap;
    overflow-wrap: normal;
  }
  tbody tr:hover {
    background: var(--row);
  }
  button,
  input,
  select {
    font: inherit;
    color: inherit;
  }
  button,
  select,
  label.file {
    border: 1px solid var(--line);
    background: var(--panel);
    border-radius: 7px;
    padding: 0.3rem 0.8rem;
    cursor: pointer;
  }
  button:hover:not(:disabled),
  label.file:hover {
    border-color: var(--accent);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  button.main {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  button.link {
    border: 0;
    background: none;
    padding: 0;
    color: var(--accent);
    text-decoration: underline;
    text-decoration-color: color-mix(in srgb, currentcolor 35%, transparent);
    text-underline-offset: 3px;
    text-align: left;
    vertical-align: top;
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  button.link:hover {
    text-decoration-color: currentcolor;
  }
  input:is([type='search'], [type='text']) {
    border: 1px solid var(--line);
    border-radius: 7px;
    background: var(--panel);
    padding: 0.3rem 0.6rem;
    min-width: 0;
  }
  :is(button, input, select, summary, pre, [tabindex]):focus-visible,
  label.file:focus-within {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .chip {
    display: inline-block;
    background: var(--chip);
    border-radius: 5px;
    padding: 0.05rem 0.45rem;
    margin: 0 0.2rem 0.15rem 0;
    font-size: 0.8rem;
    white-space: nowrap;
  }
  code.chip {
    white-space: normal;
    font-size: 0.78rem;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8.3rem, 1fr));
    gap: 0.7rem;
    margin: 0 0 1rem;
  }
  .card {
    padding: 0.7rem 0.95rem;
    display: flex;
    flex-direction: column;
  }
  .card b {
    font-size: 1.25rem;
    font-weight: 650;
    line-height: 1.3;
    white-space: nowrap; /* a number never breaks */
    overflow: hidden;
    text-overflow: ellipsis;
  }
  label.file {
    position: relative;
  }
  label.file input {
    position: absolute;
    opacity: 0;
    width: 1px;
    height: 1px;
  }
  .choices [aria-current='true'] {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 1px var(--accent);
    font-weight: 600;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 0.9rem;
    align-items: center;
    margin: 0 0 0.8rem;
  }
  .bar p {
    margin: 0;
  }
  .pager {
    margin: 0.75rem 0;
  }
  @container (max-width: 40rem) {
    th,
    td {
      padding: 0.38rem 0.55rem;
    }
    td:has(> .link, > code) {
      min-width: 9rem;
    }
    input:is([type='search'], [type='text']) {
      font-size: 16px;
    }
    .cards {
      grid-template-columns: 1fr 1fr;
      gap: 0.5rem;
    }
    .card {
      padding: 0.55rem 0.7rem;
    }
    .card b {
      font-size: 1.05rem;
    }
  }
`;
