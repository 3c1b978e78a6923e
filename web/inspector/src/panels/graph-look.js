/** Styles of the drawing of a graph. */

/** Text of a stylesheet; `var(--…)` are the page's colours. */
export const look = `
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
`;

/** Styles that only the page has: hovered, selected, focused. */
export const behaviour = `
.frame, .box, .enter { cursor: pointer; }
.box:hover > rect:first-of-type, .enter:hover > rect { stroke: var(--accent); stroke-opacity: 1; }
:is([aria-pressed='true'], :focus-visible) > rect:first-of-type { stroke: var(--accent) !important; stroke-opacity: 1 !important; stroke-width: 2.5px; }
g:focus, g:focus-visible { outline: none; }
`;
