/** The page without a model: a place to drop one, and examples. */
import { css, html, nothing } from 'lit';
import { kinds } from './model/kinds.js';

/** @typedef {{ title: string, about: string, url: string }} Example */

export const startLook = css`
  .drop {
    border: 2px dashed var(--line);
    background: var(--panel);
    border-radius: 14px;
    padding: 3.2rem 1.25rem;
    text-align: center;
    margin-top: 1rem;
  }
  .drop h2 {
    margin: 0 0 0.4rem;
    font-size: 1.35rem;
  }
  .drop .chip {
    margin: 0.15rem;
  }
  .drop p {
    max-width: 42rem;
    text-wrap: balance;
    margin: 0.5rem auto;
  }
  .examples {
    display: grid;
    gap: 0.8rem;
    grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr));
  }
  .examples button {
    display: flex;
    flex-direction: column;
    justify-content: start;
    gap: 0.2rem;
    text-align: left;
    padding: 0.8rem 1rem;
    border-radius: 10px;
  }
  .examples b {
    display: block;
    color: var(--accent);
  }
  @container (max-width: 40rem) {
    .drop {
      padding: 1.8rem 1rem;
    }
  }
`;

/** @param {Example[]} examples @param {(url: string) => void} visit */
export function start(examples, visit) {
  return html` <div class="drop">
      <h2>Drop a model here</h2>
      <p class="dim">
        A file, or a whole folder. Only the parts that you look at are read, and nothing leaves your machine.
      </p>
      <div>
        ${Object.values(kinds)
          .flatMap(({ shown }) => shown)
          .map((one) => html`<span class="chip">${one}</span>`)}
      </div>
    </div>
    ${
      examples.length
        ? html`<h2>Or look at an example</h2>
            <div class="examples">
              ${examples.map(({ title, about, url }) => html`<button @click=${() => visit(url)}><b>${title}</b><span class="dim small">${about}</span></button>`)}
            </div>`
        : nothing
    }`;
}
