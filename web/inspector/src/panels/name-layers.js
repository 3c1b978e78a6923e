/** Layers from the best source there is, of models whose nodes take values by name. */
import { html, nothing } from 'lit';
import { MOST } from '../answers.js';
import { count, counted, percent, plain, size } from '../format.js';
import { Panel } from '../panel.js';
import { list, listing } from './listing.js';

/** @param {number | string} n which may be beyond those that JavaScript has */
const exact = (n) => (typeof n === 'number' ? count(n) : n);

/** What tells of them. @type {Record<string, string>} */
const SOURCES = {
  modules: 'the modules of the program that was exported',
  layers: 'what the model consists of',
  names: 'what nodes have in front of their names',
};

class NameLayers extends Panel {
  static styles = [...Panel.styles, listing];
  #layers = this.asking(
    ([session, at], { signal }) => session.ask('layers', { ...(at ? { name: at } : {}), count: MOST, signal }),
    () => [this.at],
  );

  render() {
    return html`${this.at ? html`<p>← ${this.link('layers', '', 'All layers')}</p>` : nothing}
    ${this.answer(this.#layers, ({ layers: { items, total }, source }) => {
      if (!total) return html`<p class="empty">The graph has no nodes.</p>`;
      return list(this, {
        rows: items,
        what: 'layers',
        columns: this.columns(items, source),
        text: (one) => `${one.name} ${one.class ?? ''}`,
        beside: html`<p>
          <strong>${counted(total, 'layer')}</strong
          >${total > items.length ? `, the first ${count(items.length)} here` : ''}: ${SOURCES[source]}
        </p>`,
      });
    })}`;
  }

  /** @param {any[]} items @param {string} source @returns {import('./listing.js').Column[]} */
  columns(items, source) {
    const all = items.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    const number = (
      /** @type {string} */ key,
      /** @type {string} */ title,
      /** @type {boolean} */ wide,
      show = exact,
    ) => ({
      key,
      title,
      number: true,
      wide,
      by: (/** @type {any} */ one) => Number(one[key]),
      show: (/** @type {any} */ one) => show(one[key]),
    });
    return [
      {
        key: 'name',
        title: 'Layer',
        by: (one) => one.name,
        // "(4 unnamed nodes)" and the like are no names.
        show: (one) => (/^\(.*\)$/.test(one.name) ? plain(one.name) : this.link('graph', '', one.name, one.name)),
      },
      {
        key: 'class',
        title: source === 'modules' ? 'Class' : 'Operation',
        wide: true,
        by: (one) => one.class ?? '',
        show: (one) => (one.class ? plain(one.class) : nothing),
      },
      number('nodes', 'Nodes', true),
      number('parameters', 'Parameters', false),
      number('bytes', 'Size', false, (bytes) => (typeof bytes === 'number' ? size(bytes) : bytes)),
      { key: 'share', title: 'Share', number: true, wide: true, show: (one) => percent(Number(one.bytes), all) },
    ];
  }
}

customElements.define('cpb-name-layers', NameLayers);
