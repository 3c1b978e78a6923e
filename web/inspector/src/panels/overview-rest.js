/** What is rarely asked of a SavedModel: folded at the end of the overview. */
import { css, html, nothing } from 'lit';
import { count, counted, plain, size } from '../format.js';

export const resting = css`
  dl.pairs {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.3rem 1.2rem;
    margin: 0.8rem 0 0;
    font-size: 0.9rem;
  }
  dl.pairs dt {
    color: var(--dim);
  }
  dl.pairs dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  @container (max-width: 40rem) {
    dl.pairs {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
    dl.pairs dd {
      margin-bottom: 0.5rem;
    }
  }
`;

/** Names and values; those without a value are left out. @param {[string, unknown][]} list */
export const pairs = (list) =>
  html`<dl class="pairs">
    ${list
      .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== 0)
      .map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
  </dl>`;

/** @param {any} g a meta graph */
const metaGraph = (g) =>
  html`<div>
    ${count(g.number)}:
    ${g.tags.length ? g.tags.map((/** @type {string} */ tag) => html`<code class="chip">${plain(tag)}</code>`) : 'no tags'}
    <span class="dim">${counted(g.signatures, 'signature')}${g.graph ? `, graph of ${size(g.graph.size)}` : ''}</span>
  </div>`;

/** @param {any} objects */
const kinds = (objects) =>
  objects &&
  html`${count(objects.total)}:
  ${Object.entries(objects.kinds)
    .map(([kind, n]) => `${count(Number(n))} ${kind.replaceAll('_', ' ')}`)
    .join(', ')}${objects.unreachable ? `; ${count(objects.unreachable)} not reachable from the root` : ''}`;

/** @param {any} panel the overview @param {any} o */
export function rest(panel, o) {
  const graph = o.meta_graphs.items.find((/** @type {any} */ g) => g.number === o.meta_graph) ?? {};
  const { stored } = o.variables ?? {};
  const marks = Object.entries(panel.fingerprint.value || o.fingerprint || {});
  return html`${
      o.assets?.total
        ? html`<h2>${counted(o.assets.total, 'asset')}</h2>
            <ul>
              ${o.assets.items.map((/** @type {any} */ a) => html`<li><code>${plain(a.file)}</code></li>`)}
            </ul>`
        : nothing
    }
    <details class="rest">
      <summary>More: versions, objects, initializers, fingerprint</summary>
      ${pairs([
        ['Meta graphs', o.meta_graphs.items.map(metaGraph)],
        ['TensorFlow', [graph.tensorflow_version, graph.tensorflow_git_version].filter(Boolean).map(plain).join(', ')],
        ['Graph and functions', graph.graph && size(graph.graph.size)],
        ['Objects', kinds(o.objects)],
        ['Concrete functions', o.concrete_functions && panel.link('functions', '', count(o.concrete_functions))],
        [
          'Stored values',
          stored && `${counted(stored.tensors, 'tensor')}, ${size(stored.size)}, in ${counted(stored.shards, 'file')}`,
        ],
        [
          'Run on loading',
          o.initializers?.map((/** @type {any} */ one) => html`<code class="chip">${plain(one.operation)}</code>`),
        ],
        [
          'Collections',
          o.collections?.items.map((/** @type {any} */ one) => html`<code class="chip">${plain(one.name)}</code>`),
        ],
        ['Checkpoints', o.saver && `format ${plain(o.saver.checkpoints)}${o.saver.sharded ? ', sharded' : ''}`],
      ])}
      ${
        marks.length
          ? html`<h3>Fingerprint</h3>
              ${pairs(marks.map(([name, value]) => [name.replaceAll('_', ' '), html`<code>${plain(typeof value === 'object' ? JSON.stringify(value) : value)}</code>`]))}`
          : nothing
      }
    </details>`;
}
