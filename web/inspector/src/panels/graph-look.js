/** How the graph's panel looks: its drawing, and what is around. */
import { css, unsafeCSS } from 'lit';

/** The drawing; `var(--…)` are the page's colours. */
export const drawingLook = unsafeCSS(`
.frame > rect { fill: var(--accent); fill-opacity: .05; stroke: var(--accent); stroke-opacity: .35; rx: 10px; }
.box > rect { rx: 7px; }
.box > rect:first-of-type { fill: var(--panel); stroke: var(--dim); stroke-opacity: .55; }
.box > rect.band { rx: 2px; }
.box.scope > rect:first-of-type { fill: var(--chip); stroke: var(--accent); stroke-opacity: .5; }
.box:is(.many, .rest) > rect:first-of-type { fill: var(--row); stroke-dasharray: 5 3; }
.box:is(.argument, .result) > rect:first-of-type { fill: var(--row); stroke: var(--text); stroke-opacity: .7; rx: 18px; }
text { font: 12.5px system-ui, sans-serif; fill: var(--text); text-anchor: middle; pointer-events: none; }
text.name { font-weight: 600; }
rect.scope { fill: var(--panel); rx: 4px; pointer-events: none; }
text.scope { font-size: 11px; fill: var(--dim); text-anchor: start; }
text.op { fill: var(--dim); font-size: 11px; }
text.line { font: 10.5px var(--mono); text-anchor: start; }
text.value { fill: var(--dim); font: 10.5px var(--mono); text-anchor: end; }
text.sign { font-weight: 600; font-size: 10.5px; text-anchor: start; paint-order: stroke; stroke: var(--panel); stroke-width: 4px; stroke-linejoin: round; }
text.shape { fill: var(--dim); font: 10.5px var(--mono); text-anchor: start; paint-order: stroke; stroke: var(--panel); stroke-width: 4px; stroke-linejoin: round; }
.rule { stroke: var(--line); }
.enter > rect { fill: var(--chip); rx: 5px; }
.enter > text { fill: var(--accent); font-size: 11px; }
path { fill: none; stroke: var(--dim); stroke-opacity: .65; }
path.control { stroke-dasharray: 4 3; }
path.lit { stroke: var(--accent); stroke-opacity: 1; stroke-width: 2px; }
path.pale { stroke-opacity: .2; }
:is(.box, .enter).pale { opacity: .3; }
marker path { fill: var(--dim); stroke: none; }
.frame, .box, .enter { cursor: pointer; }
.box:hover > rect:first-of-type, .enter:hover > rect { stroke: var(--accent); stroke-opacity: 1; }
:is([aria-pressed='true'], :focus-visible) > rect:first-of-type { stroke: var(--accent) !important; stroke-opacity: 1 !important; stroke-width: 2.5px; }
g:focus, g:focus-visible { outline: none; }
`);

/** Around the drawing. */
export const panelLook = css`
  :host {
    display: flex;
    flex-direction: column;
    flex: 1;
    min-width: 0;
  }
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.3rem 0.6rem;
    padding: 0.3rem 0.8rem;
    background: var(--panel);
    border-bottom: 1px solid var(--line);
    font-size: 0.87rem;
  }
  .bar {
    display: contents;
  }
  .places {
    flex: 0 1 15rem;
    min-width: 0;
    padding: 0.25rem 0.5rem;
  }
  .switch {
    display: inline-flex;
    gap: 0.35rem;
    align-items: center;
    cursor: pointer;
  }
  .switch input {
    margin: 0;
    accent-color: var(--accent);
  }
  .tools {
    order: 1;
    margin-left: auto;
    display: flex;
    gap: 0.3rem;
  }
  .tools button {
    padding: 0.2rem 0.55rem;
  }
  .parts {
    display: flex;
    flex: 1;
    min-height: 0;
  }
  .parts.below {
    flex-direction: column;
  }
  .view,
  .side {
    flex: 1;
    min-width: 0;
    min-height: 0;
    border: 0;
    border-radius: 0;
    overflow: clip;
  }
  .view {
    position: relative;
  }
  /* A drawing that is about to be replaced. */
  .window {
    transition: opacity 0.1s 0.25s;
  }
  [aria-busy='true'] > .window {
    opacity: 0.35;
  }
  [aria-busy='true']::after {
    content: 'Reading…';
    position: absolute;
    inset: 0 auto auto 50%;
    translate: -50% 1rem;
    padding: 0.2rem 0.8rem;
    border-radius: 7px;
    background: var(--chip);
    animation: later 0.25s step-end;
  }
  @keyframes later {
    from {
      opacity: 0;
    }
  }
  .legend {
    position: absolute;
    inset: auto auto 0 0;
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.9rem;
    margin: 0;
    padding: 0.2rem 0.6rem;
    border-radius: 0 8px 0 0;
    background: color-mix(in srgb, var(--panel) 85%, transparent);
    list-style: none;
    font-size: 0.78rem;
    color: var(--dim);
    pointer-events: none;
  }
  .legend svg {
    width: 0.65rem;
  }
  cpb-border {
    flex: 0 0 7px;
    margin: 0 -3px;
    z-index: 1;
    cursor: col-resize;
    touch-action: none;
  }
  .below > cpb-border {
    flex-basis: 13px;
    margin: -6px 0;
    cursor: row-resize;
  }
  cpb-border:is(:hover, :active, :focus-visible) {
    background: var(--accent);
    outline: none;
  }
  .window {
    display: block;
    width: 100%;
    height: 100%;
    touch-action: none;
    cursor: grab;
    user-select: none;
    -webkit-user-select: none;
  }
  .window:active {
    cursor: grabbing;
  }
  .side {
    flex: 0 0 var(--part);
    padding: 0.8rem 1rem;
    position: relative;
    overflow-y: auto;
    box-shadow: 0 0 0 1px var(--line);
  }
  .close {
    position: absolute;
    top: 0.5rem;
    right: 0.5rem;
    padding: 0 0.5rem;
    border: 0;
    font-size: 1.2rem;
    line-height: 1.4;
  }
  @container (max-width: 48rem) {
    .legend.usual {
      display: none;
    }
    .places {
      flex: 1 1 8rem;
    }
    .tools {
      order: 0;
      margin: 0;
    }
  }
`;
