/** What panels/compare-graph.js takes from the page: it is loaded on demand, and has no second copy of these. */
export { css, html, nothing, svg } from 'lit';
export { guard } from 'lit/directives/guard.js';
export { arrows } from '../arrows.js';
export { modelsAmong } from '../files.js';
export { counted, plain } from '../format.js';
export { Session } from '../session.js';
export { drawing, functionName, short } from './graph-drawing.js';
export { areaOf, beginning, keyOf, laidOut } from './graph-layout.js';
export { behaviour, look } from './graph-look.js';
export { fromText, toText } from './graph-scopes.js';
export { Zoom } from './graph-zoom.js';
