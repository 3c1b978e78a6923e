/**
 * The operations: how often each is used in the graph and in functions, and which the model's own framework does not
 * have.
 */
import { css, html, nothing } from 'lit';
import { MOST } from '../answers.js';
import { count, counted, kindName, plain } from '../format.js';
import { isExported, isSameDiff, kinds } from '../model/kinds.js';
import { Panel } from '../panel.js';
import { column, list, listing, numbers, shares, wide } from './listing.js';

/** Where an operation comes from, for people. @type {Record<string, string>} */
const from = {
  tensorflow: 'TensorFlow',
  nd4j: 'ND4J',
  onnxruntime: 'ONNX Runtime',
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
    const own = (/** @type {string} */ name) => ops.items.filter((/** @type {any} */ one) => one.from === name);
    const [runtime, custom] = [own('onnxruntime'), own('custom')];
    if (nodes === undefined) return nothing;
    const { kind } = this.session.about;
    const isOnnx = isExported(kind);
    const owner = isOnnx ? kindName(kind) : isSameDiff(kind) ? 'ND4J' : 'TensorFlow';
    return html`<p>
      ${counted(nodes, 'node')} in the
      graph${functions ? ` and ${count(inside)} in ${counted(functions, isOnnx ? 'function or subgraph' : 'function', isOnnx ? 'functions and subgraphs' : 'functions')}` : ''}.
      ${runtime.length ? html`${counted(runtime.length, 'operation')} of ONNX Runtime: ${chips(runtime)}` : nothing}
      ${
        custom.length
          ? html`<strong class="custom">${counted(custom.length, 'custom operation')}</strong>, which ${owner} does not
              have: ${chips(custom)}`
          : runtime.length
            ? nothing
            : `No custom operations: ${owner} has all of them${own('library').length ? ', or they are functions of this model' : ''}.`
      }
    </p>`;
  }
}

/** @param {{ op: string }[]} ops */
const chips = (ops) => ops.map(({ op }) => html`<code class="chip">${plain(op)}</code>`);

/** Who defines them. */
const origin = column(
  'from',
  'From',
  (one) =>
    html`<span class=${one.from === 'custom' ? 'custom' : ''}
      >${from[one.from] ?? kinds[one.from]?.label ?? plain(one.from)}</span
    >`,
  (one) => one.from,
);

const domain = column(
  'domain',
  'Domain',
  (one) => html`${plain(one.domain || 'ai.onnx')} <span class="dim">${one.version ?? ''}</span>`,
  (one) => one.domain,
);

/** @param {Panel} panel @param {any[]} rows @returns {import('./listing.js').Column[]} */
function columns(panel, rows) {
  const most = rows.reduce((top, { count: n }) => Math.max(top, n), 0);
  const has = (/** @type {(one: any) => unknown} */ of) => rows.some((one) => of(one));
  const inside = has((one) => isExported(one.from)) ? 'In functions and subgraphs' : 'In functions';
  return [
    column(
      'op',
      'Operation',
      ({ op }) => panel.link('search', op),
      ({ op }) => op,
    ),
    ...(has((one) => one.domain) ? [wide(domain)] : []),
    numbers('count', 'Used'),
    shares(rows, (one) => one.count),
    wide(
      column(
        'bar',
        'Of the most used',
        (one) =>
          html`<svg class="part" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width=${(100 * one.count) / most} height="8"></rect>
          </svg>`,
      ),
    ),
    ...(has((one) => one.from !== 'nd4j')
      ? [wide(numbers('in_graph', 'In the graph')), wide(numbers('in_functions', inside)), origin]
      : []),
  ];
}

customElements.define('cpb-operations', Operations);
