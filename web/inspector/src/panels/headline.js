/** The first facts about a model: its name, its inputs and outputs, its figures. */
import { css, html, nothing } from 'lit';
import { partsOf } from '../files.js';
import { brief, count, plain } from '../format.js';
import { specName } from './structured.js';

/** Inputs or outputs that are listed. */
const MOST = 6;

export const headlined = css`
  .head {
    padding: 1.1rem 1.3rem 1.2rem;
  }
  .head .kind {
    margin: 0;
  }
  .head h2 {
    font-size: 1.5rem;
    line-height: 1.25;
    margin: 0.1rem 0 0.7rem;
    overflow-wrap: anywhere;
  }
  .flow {
    gap: 0.3rem 0.9rem;
    margin: 0 0 1.1rem;
  }
  .flow .to {
    display: flex;
    align-items: center;
    gap: 0.9rem;
  }
  .flow .arrow {
    color: var(--accent);
    font-size: 1.2rem;
  }
  .flow .type {
    white-space: nowrap;
  }
  .figures {
    align-items: start;
    gap: 0.9rem 2.2rem;
    margin: 0;
  }
  .figures dd {
    margin: 0;
  }
  .figures dd:first-of-type {
    font-size: 1.35rem;
    font-weight: 650;
    line-height: 1.3;
    white-space: nowrap;
  }
  .figures .more strong {
    color: var(--bad);
  }
  .note {
    max-width: 46rem;
    margin: 0.9rem 0 0;
  }
  details.rest {
    margin: 1.2rem 0 0;
  }
  details.rest > summary {
    font-size: 1.05rem;
    font-weight: 650;
  }
  @container (max-width: 40rem) {
    .head {
      padding: 0.8rem 0.9rem 0.9rem;
    }
    .head h2 {
      font-size: 1.25rem;
    }
    .figures {
      gap: 0.7rem 1.4rem;
    }
    .figures dd:first-of-type {
      font-size: 1.15rem;
    }
  }
`;

/** A tensor of a signature, with its name. @param {any} one */
export const named = (one) =>
  html`<code>${plain(one.name)}</code>
    ${one.dtype === 'invalid' ? html`<span class="dim">an operation</span>` : one.dtype || one.type ? html`<span class="type">${brief(one)}</span>` : nothing}
    ${one.sparse ? html`<span class="chip">sparse</span>` : nothing}
    ${one.composite ? html`<span class="chip">${specName(one.composite.type)}</span>` : nothing}`;

/** @typedef {(one: any) => unknown} Show how an input or output is shown */

/** @param {any[]} tensors @param {Show} show */
const side = (tensors, show) =>
  html`<ul class="bare">
    ${tensors.slice(0, MOST).map((one) => html`<li>${show(one)}</li>`)}
    ${
      tensors.length > MOST
        ? html`<li>
            <details>
              <summary>${count(tensors.length - MOST)} more</summary>
              <ul class="bare">
                ${tensors.slice(MOST).map((one) => html`<li>${show(one)}</li>`)}
              </ul>
            </details>
          </li>`
        : nothing
    }
  </ul>`;

/** Inputs, an arrow, outputs. @param {any[]} inputs @param {any[]} outputs @param {Show} [show] */
const flow = (inputs, outputs, show = named) =>
  inputs.length || outputs.length
    ? html`<div class="bar flow" role="group" aria-label="Inputs and outputs">
        ${inputs.length ? side(inputs, show) : html`<span class="dim">no inputs</span>`}
        ${
          outputs.length
            ? html`<div class="to">
                <span class="arrow" role="img" aria-label="gives">→</span> ${side(outputs, show)}
              </div>`
            : nothing
        }
      </div>`
    : nothing;

/**
 * A figure; undefined: the model lacks it; null: not known yet.
 * @typedef {{ name: string, value: unknown, more?: unknown } | undefined} Figure
 */

/**
 * @param {object} head
 * @param {unknown[]} head.kind its kind, in parts
 * @param {string} head.name
 * @param {any[]} head.inputs
 * @param {any[]} head.outputs
 * @param {Show} [head.show]
 * @param {Figure[]} head.figures
 * @param {unknown} [head.note]
 */
export const headline = ({ kind, name, inputs, outputs, show, figures, note }) =>
  html`<section class="head box" aria-label="In short">
    <p class="dim small kind">${kind.filter(Boolean).join(' · ')}</p>
    <h2>${plain(name)}</h2>
    ${flow(inputs, outputs, show)}
    <dl class="bar figures">
      ${figures.map(
        (figure) =>
          figure &&
          html`<div>
            <dt class="dim small">${figure.name}</dt>
            <dd>${figure.value ?? html`<span class="dim">…</span>`}</dd>
            ${figure.more ? html`<dd class="dim small more">${figure.more}</dd>` : nothing}
          </div>`,
      )}
    </dl>
    ${note ? html`<p class="note">${note}</p>` : nothing}
  </section>`;

/** A model's name from its path or URL: its file, or its folder if the file has the usual name. @param {string} place */
export function nameOf(place) {
  const parts = partsOf(place);
  const file = parts.pop() ?? '';
  return /^(saved_model|keras_metadata)\.(pb|cpb)$/.test(file) ? (parts.pop() ?? file) : file;
}
