/** The operations: how often each is used in the graph and in functions, and which the model's own framework does not have. */
import { css, html, nothing } from 'lit';
import { MOST } from '../answers.js';
import { count, counted, kindName, percent, plain } from '../format.js';
import { isExported, isSameDiff, kinds } from '../model/kinds.js';
import { Panel } from '../panel.js';
import { list, listing } from './listing.js';

/** Where an operation comes from, for people. @type {Record<string, string>} */
const from = {
  tensorflow: 'TensorFlow',
  nd4j: 'ND4J',
  library: 'a function of this model',
  custom: 'custom',
};

class Operations extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    css`
      .custom {
        color: var(--bad);
        font-weight: 600;
      }
      .part {
        display: block;
        width: 7rem;
        height: 0.5rem;
        margin-top: 0.45rem;
        border-radius: 3px;
        background: var(--row);
      }
      .part rect {
        fill: var(--accent);
      }
    `,
  ];
  #ops = this.asking(
    ([session, tag], { signal }) => session.ask('ops', { ...(tag ? { scope: tag } : {}), count: MOST, signal }),
    () => [this.view.tag],
  );

  render() {
    return this.answer(this.#ops, (answer) => {
      const { items, total } = answer.ops;
      if (!total) return html`<p class="empty">The graph has no operations.</p>`;
      return html`${this.sums(answer)}${list(this, {
        rows: items,
        what: 'operations',
        sort: 'count',
        columns: columns(this, items),
        text: ({ op }) => op,
        beside: html`<p><strong>${counted(total, 'operation')}</strong></p>`,
      })}`;
    });
  }

  /** What they are the operations of. @param {any} answer */
  sums({ nodes, functions, function_nodes: inside, ops }) {
    const custom = ops.items.filter((/** @type {any} */ one) => one.from === 'custom');
    if (nodes === undefined) return nothing;
    const { kind } = this.session.about;
    const isOnnx = isExported(kind);
    const owner = isOnnx ? kindName(kind) : isSameDiff(kind) ? 'ND4J' : 'TensorFlow';
    return html`<p>
      ${counted(nodes, 'node')} in the
      graph${functions ? ` and ${count(inside)} in ${counted(functions, isOnnx ? 'function or subgraph' : 'function', isOnnx ? 'functions and subgraphs' : 'functions')}` : ''}.
      ${
        custom.length
          ? html`<strong class="custom">${counted(custom.length, 'custom operation')}</strong>, which ${owner} does not
              have: ${custom.map((/** @type {any} */ one) => html`<code class="chip">${plain(one.op)}</code>`)}`
          : `No custom operations: ${owner} has all of them${ops.items.some((/** @type {any} */ one) => one.from === 'library') ? ', or they are functions of this model' : ''}.`
      }
    </p>`;
  }
}

/**
 * Where operations are used, and who defines them.
 *
 * @param {(key: string, title: string) => import('./listing.js').Column} used
 * @param {any[]} rows
 * @returns {import('./listing.js').Column[]}
 */
const placesOf = (used, rows) => [
  used('in_graph', 'In the graph'),
  used('in_functions', rows.some((one) => isExported(one.from)) ? 'In functions and subgraphs' : 'In functions'),
  {
    key: 'from',
    title: 'From',
    by: (one) => one.from,
    show: (one) =>
      html`<span class=${one.from === 'custom' ? 'custom' : ''}
        >${from[one.from] ?? kinds[one.from]?.label ?? plain(one.from)}</span
      >`,
  },
];

/** @param {Panel} panel @param {any[]} rows @returns {import('./listing.js').Column[]} */
function columns(panel, rows) {
  const all = rows.reduce((sum, { count: n }) => sum + n, 0);
  const most = rows.reduce((top, { count: n }) => Math.max(top, n), 0);
  const several = rows.some((one) => one.from !== 'nd4j');
  const used = (/** @type {string} */ key, /** @type {string} */ title) => ({
    key,
    title,
    number: true,
    wide: key !== 'count',
    by: (/** @type {any} */ one) => one[key],
    show: (/** @type {any} */ one) => count(one[key]),
  });
  return [
    {
      key: 'op',
      title: 'Operation',
      by: (one) => one.op,
      show: (one) => panel.link('search', one.op, one.op),
    },
    ...(rows.some((one) => one.domain)
      ? [
          {
            key: 'domain',
            title: 'Domain',
            wide: true,
            by: (/** @type {any} */ one) => one.domain,
            show: (/** @type {any} */ one) =>
              html`${plain(one.domain || 'ai.onnx')} <span class="dim">${one.version ?? ''}</span>`,
          },
        ]
      : []),
    used('count', 'Used'),
    { key: 'share', title: 'Share', number: true, show: (one) => percent(one.count, all) },
    {
      key: 'bar',
      title: 'Of the most used',
      wide: true,
      show: (one) =>
        html`<svg class="part" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width=${(100 * one.count) / most} height="8"></rect>
        </svg>`,
    },
    ...(several ? placesOf(used, rows) : []),
  ];
}

customElements.define('cpb-operations', Operations);
