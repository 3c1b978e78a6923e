/** The graphs of two models side by side, as they are shown. */
import { css, html, nothing } from 'lit';
import { count, plain } from '../format.js';
import { graphKey, MEANINGS, SIGNS } from './graph-marks.js';

/** @import { Sides } from './compare-graphs.js' */

export const sidesLook = css`
  .sides {
    display: grid;
    gap: 0.3rem 0.7rem;
    margin-bottom: 0.6rem;
  }
  .sides section {
    display: flex;
    flex-direction: column;
    min-width: 0;
    height: 75dvh;
    overflow: clip;
  }
  .sides h3 {
    margin: 0;
    padding: 0.3rem 0.8rem;
    font-size: 0.87rem;
    overflow-wrap: anywhere;
  }
  @container (min-width: 46rem) {
    .sides {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    }
    .sides section {
      height: calc(100dvh - 14rem);
      min-height: 24rem;
    }
  }
`;

/** Where the steps are. @param {Sides} sides */
function told({ all, current, number }) {
  if (!all.length) return 'No node of their graphs differs.';
  if (!current) return html`${count(all.length)} of their nodes differ`;
  const { change, name, graph } = current;
  return html`${count(number + 1)} of ${count(all.length)}: ${SIGNS[change]} <b>${plain(name)}</b>,
    ${MEANINGS[change]}${graph ? html`, in ${plain(graphKey(graph))}` : nothing}`;
}

/** @param {Sides} sides @param {'a' | 'b'} side @param {(place: any) => void} leave to another panel, for this model */
function graphOf(sides, side, leave) {
  const { at, node, view } = sides.places[side];
  const session = sides.sessions[side];
  const go = (/** @type {CustomEvent} */ event) => {
    event.stopPropagation();
    if (event.detail.panel === 'graph') void sides.follow(side, event.detail);
    else if (side === 'a') leave(event.detail);
  };
  const see = (/** @type {CustomEvent} */ event) => {
    event.stopPropagation();
    sides.see(side, event.detail);
  };
  return html`<section class="box" aria-label=${side === 'a' ? 'This model' : 'The other model'} @go=${go} @see=${see}>
    <h3>${side === 'a' ? 'This model' : 'The other'}: ${plain(session.about.path)}</h3>
    <cpb-graph .session=${session} .at=${at} .node=${node} .view=${view} .marks=${sides.marks[side]}></cpb-graph>
  </section>`;
}

/** Whether keys are text there. @param {any[]} path */
const isTyping = ([target]) => /^(INPUT|SELECT|TEXTAREA)$/.test(target?.tagName);

/** @param {Sides} sides @param {(place: any) => void} leave */
export function sidesOf(sides, leave) {
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.composedPath())) return;
    if (event.key === 'n' || event.key === 'N') void sides.step(event.key === 'n' ? 1 : -1);
  };
  const none = !sides.all.length;
  return html`<div class="both" @keydown=${key}>
    <div class="bar">
      <button ?disabled=${none} title="Shift+N" @click=${() => sides.step(-1)}>Previous</button>
      <button ?disabled=${none} title="N" @click=${() => sides.step(1)}>Next difference</button>
      <span role="status">${told(sides)}</span>
    </div>
    <div class="sides">${graphOf(sides, 'a', leave)} ${graphOf(sides, 'b', leave)}</div>
  </div>`;
}
