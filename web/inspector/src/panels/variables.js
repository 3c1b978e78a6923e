/** The weights: each variable with its size, its share of all, its type and its layer. */
import { css, html, nothing } from 'lit';
import { weightsOf } from '../answers.js';
import { brief, count, counted, plain, shape, size } from '../format.js';
import { Panel } from '../panel.js';
import { column, list, listing, numbers, shares, types, wide } from './listing.js';
import { valuesOf } from '../tensor.js';
import { sizeOf } from './treemap.js';

/** @import { Variable } from '../answers.js' */

class Variables extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    css`
      td:first-child {
        min-width: 10rem;
      }
      .chosen {
        margin-bottom: 1.2rem;
      }
    `,
  ];
  #answer = this.asking(
    ([session, tag], { signal }) => weightsOf(session, { signal }, tag),
    () => [this.view.tag],
  );

  render() {
    return this.answer(this.#answer, (answer) => {
      if (!answer.list.length)
        return html`<p class="empty">
          This model has no ${answer.what}. If its weights are constants of the graph,
          ${this.link('bytes', '', 'Bytes')} shows them.
        </p>`;
      const once = answer.list.filter((/** @type {Variable} */ one) => !one.twin);
      return html`${this.chosen(answer)}${this.twice(answer.list, once)}${this.table(answer, once)}`;
    });
  }

  /** The one that is looked at. @param {{ list: Variable[], what?: string }} answer */
  chosen({ list: all, what = 'variables' }) {
    const one = this.at && all.find(({ at, name }) => at === this.at || name === this.at);
    if (!this.at) return nothing;
    if (!one) return html`<p class="empty">No ${what.slice(0, -1)} is called <code>${plain(this.at)}</code>.</p>`;
    return html`<div class="chosen">
      ${valuesOf(this.session, one)}
      ${(one.one.quantization ?? []).map(
        (/** @type {any} */ by) =>
          html`<p class="small">
            <span class="dim">${plain(by.parameter)}</span> ${this.link('variables', by.tensor)}
          </p>`,
      )}
      <p class="small">
        ${one.path && one.path !== one.name ? html`<span class="dim">Object</span> ${this.link('objects', one.path)} · ` : nothing}
        ${this.link('variables', '', 'Close', '', this.view)}
      </p>
    </div>`;
  }

  /** Why there are more variables than weights. @param {Variable[]} all @param {Variable[]} once */
  twice(all, once) {
    if (once.length === all.length) return nothing;
    return html`<p>
      ${count(all.length)} variables are stored, but only ${count(once.length)} weights: Keras 3 exports each weight
      twice, in its lists <code>variables</code> and <code>_all_variables</code>. Here each is listed, and counted,
      once.
    </p>`;
  }

  /** @param {any} answer @param {Variable[]} rows */
  table({ total, list: all, what = 'variables', figures }, rows) {
    const { size: stored, tensors } = figures ?? { size: sizeOf(rows), tensors: rows.length };
    return list(this, {
      rows,
      what,
      columns: this.columns(rows),
      sort: 'size',
      text: ({ name, path, layer }) => `${name} ${path} ${layer}`,
      beside: html`<p>
        <strong>${size(stored)}</strong> in
        ${counted(tensors, what.slice(0, -1))}${this.view.tag ? html` of the tag <code>${plain(this.view.tag)}</code>` : ''}${total > all.length ? `, the first of ${count(total)}` : ''}
      </p>`,
    });
  }

  /** @param {Variable[]} rows @returns {import('./listing.js').Column[]} */
  columns(rows) {
    const layerOf = (/** @type {Variable} */ { layer }) => layer;
    const layer = column(
      'layer',
      'Layer',
      (one) => (one.layerPath ? this.link('layers', one.layerPath, one.layer) : plain(one.layer)),
      layerOf,
    );
    return [
      column(
        'name',
        'Name',
        (one) => this.#name(one),
        ({ name }) => name,
      ),
      ...(rows.some(layerOf) ? [wide(layer)] : []),
      wide(
        types(
          'type',
          'Type',
          ({ dtype }) => dtype,
          ({ dtype }) => dtype,
        ),
      ),
      wide(types('shape', 'Shape', (one) => (one.shape?.length === 0 ? 'scalar' : shape(one.shape)))),
      numbers('size', 'Size', (one) => (one.one.bytes === null ? '–' : size(one.size))),
      shares(rows, (one) => one.size),
    ];
  }

  /** @param {Variable} one */
  #name(one) {
    const { view } = this;
    const marks = [
      one.trainable ? '' : 'not trainable',
      one.one.kind === 'none' && this.session.about.kind === 'saved_model' ? 'not a variable' : '',
    ].filter(Boolean);
    return html`${this.link('variables', one.at, one.name, '', view)}
      ${one.within ? html`<span class="dim small">in ${plain(one.within)}</span>` : nothing}
      ${marks.map((mark) => html`<span class="chip">${mark}</span>`)} <span class="type narrow">${brief(one)}</span>`;
  }
}

customElements.define('cpb-variables', Variables);
