/** How everything looks; light and dark by what the reader prefers. */
import { css } from 'lit';

export const look = css`
  :host {
    --page: light-dark(#f6f7f9, #11151b); --panel: light-dark(#fff, #191f27); --line: light-dark(#d9dee5, #323b48);
    --text: light-dark(#1a202b, #e4e8ee); --dim: light-dark(#566072, #a3adbb); --accent: light-dark(#1f4fcf, #8fb0ff);
    --chip: light-dark(#e6edfc, #22304d); --row: light-dark(#f2f4f7, #202731); --bad: light-dark(#a01616, #ffb0a8);
    --bad-page: light-dark(#fdf0ef, #2c1a1b);
    font: 15px/1.5 system-ui, sans-serif; color: var(--text);
  }
  * { box-sizing: border-box; }
  h2 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; }
  h3 { font-size: .95rem; margin: 1rem 0 .35rem; }
  p { margin: .35rem 0; }
  code, .mono { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .85em; overflow-wrap: anywhere; }
  .dim, .wait { color: var(--dim); }
  .failure, .problems { border: 1px solid var(--bad); background: var(--bad-page); border-radius: 8px; padding: .5rem .9rem; margin: .75rem 0; }
  .failure strong, .problems h3 { color: var(--bad); }
  table { border-collapse: collapse; width: 100%; font-size: .9rem; }
  .scroll { overflow-x: auto; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  th { color: var(--dim); font-weight: 600; white-space: nowrap; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tbody tr:hover { background: var(--row); }
  button, input, select { font: inherit; color: inherit; }
  button { border: 1px solid var(--line); background: var(--panel); border-radius: 6px; padding: .2rem .7rem; cursor: pointer; }
  button:disabled { opacity: .5; cursor: default; }
  button.link { border: 0; background: none; padding: 0; color: var(--accent); text-decoration: underline; text-underline-offset: 2px; text-align: left; overflow-wrap: anywhere; }
  button:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .chip { display: inline-block; background: var(--chip); border-radius: 5px; padding: 0 .4rem; margin: 0 .25rem .15rem 0; font-size: .82rem; }
  .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .6rem; margin: .75rem 0; }
  .card { border: 1px solid var(--line); background: var(--panel); border-radius: 8px; padding: .5rem .8rem; }
  .card b { display: block; font-size: 1.2rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
  .pager { display: flex; gap: .75rem; align-items: center; margin: .6rem 0; }
`;
