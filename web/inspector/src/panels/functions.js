/** The function library: a list, or one function. */
import { css, html, nothing } from 'lit';
import { MOST } from '../answers.js';
import { brief, count, counted, plain } from '../format.js';
import { isExported } from '../model/kinds.js';
import { Panel } from '../panel.js';
import { column, list, listing, numbers, wide } from './listing.js';
import { structured, tree } from './structured.js';

const stateful = html` <span class="chip" title="It reads or changes variables or other state">stateful</span>`;

class Functions extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    structured,
    css`
      .parts {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr));
        gap: 0.9rem;
        align-items: start;
        margin-top: 1rem;
      }
      .part {
        padding: 0.8rem 1rem;
      }
      .part h3 {
        margin: 0 0 0.5rem;
        font-size: 0.82rem;
      }
      .part > ul:not(.tree) {
        max-height: 24rem;
        overflow-y: auto;
      }
      .part > ul:not(.tree) li {
        padding: 0.22rem 0;
        overflow-wrap: anywhere;
      }
      td:first-child {
        min-width: 14rem;
      }
      h2 {
        margin-top: 1rem;
        font-size: 1.15rem;
      }
    `,
  ];
  #answer = this.asking(
    ([session, at], { signal }) =>
      at ? session.ask('function', { name: at, signal }) : session.ask('functions', { count: MOST, signal }),
    () => [this.at],
  );

  render() {
    return this.answer(this.#answer, (a) => (a.functions ? this.list(a.functions) : this.one(a)));
  }

  /** @param {any} functions */
  list({ items, total }) {
    if (!total)
      return html`<p class="empty">
        ${isExported(this.session.about.kind) ? 'The model has no functions, and no graphs within nodes.' : 'The library has no functions.'}
      </p>`;
    const concrete = items.filter((/** @type {any} */ f) => f.captures !== undefined);
    const only = this.view.only === 'concrete';
    const isMixed = items.some((/** @type {any} */ f) => f.is !== 'function');
    const [word, words] = isMixed ? ['function or subgraph', 'functions and subgraphs'] : ['function', 'functions'];
    return list(this, {
      rows: only ? concrete : items,
      what: 'functions',
      sort: isMixed ? 'nodes' : 'called_by',
      columns: this.columns(),
      text: ({ name }) => name,
      beside: html`<p><strong>${counted(total, word, words)}</strong></p>
        ${
          concrete.length && concrete.length < total
            ? html`<label
                ><input
                  type="checkbox"
                  .checked=${only}
                  @change=${(/** @type {any} */ e) => this.see({ only: e.target.checked ? 'concrete' : '', first: '' })}
                />
                only the ${counted(concrete.length, 'concrete one')}, which Python calls</label
              >`
            : nothing
        }`,
    });
  }

  /** @returns {import('./listing.js').Column[]} */
  columns() {
    return [
      column(
        'name',
        'Function',
        (f) =>
          html`${this.link('functions', f.name)}${f.stateful ? stateful : nothing}${f.is !== 'function' ? html` <span class="chip">${f.is}</span>` : nothing}${f.captures === undefined ? nothing : html` <span class="chip" title="Traced from a Python function; it can be called by itself">concrete</span>`}`,
        (f) => f.name,
      ),
      // A graph inside a node is not called.
      numbers('called_by', 'Called by', (f) =>
        f.is === 'function' ? count(f.called_by) : html`<span class="dim">–</span>`,
      ),
      wide(numbers('nodes', 'Nodes')),
      wide(numbers('calls', 'Calls')),
      wide(numbers('inputs', 'Inputs')),
      wide(numbers('outputs', 'Outputs')),
    ];
  }

  /** @param {any} f */
  one(f) {
    const call = (/** @type {any} */ c) =>
      html`${c.function ? this.link('functions', c.function) : this.link('graph', '', 'the main graph')}
        <span class="dim">in ${counted(c.nodes, 'node')}</span>`;
    return html`
      <p>← ${this.link('functions', '', 'All functions')}</p>
      <h2><code>${plain(f.name)}</code></h2>
      <p>
        ${counted(f.nodes, 'node')} · ${this.link('graph', f.name, 'see its graph')}${f.stateful ? stateful : nothing}
      </p>
      <div class="parts">
        ${f.arguments?.length ? section('Arguments in Python', tree(f.arguments)) : nothing}
        ${f.returns ? section('Returns', tree([{ name: 'result', value: f.returns }])) : nothing}
        ${part('Inputs', f.inputs, (i) => html`<code>${plain(i.name)}</code> <span class="type">${typeOf(i)}</span>`)}
        ${part(
          'Outputs',
          f.outputs,
          (o) =>
            html`<code>${plain(o.name)}</code>
              <span class="type">${'shape' in o ? typeOf(o) : (o.dtype ?? '')}</span>
              ${o.tensor === undefined ? nothing : html`<code class="dim">${plain(o.tensor)}</code>`}`,
        )}
        ${part(
          'Captures',
          f.captures,
          (c) =>
            html`${this.link('objects', c.path ?? '', c.name || c.path || c.kind)}
              <span class="type">${c.dtype ? brief(c) : c.kind}</span>`,
        )}
        ${part('Calls', f.calls, call)} ${part('Called by', f.called_by, call)}
        ${part('In the object graph', f.objects, (o) => this.link('objects', o.path))} ${ofOnnx(f)}
      </div>
    `;
  }
}

/** Further facts about functions and graphs of ONNX. @param {any} f */
function ofOnnx({ opset_imports: sets, attributes = [], attribute_defaults: defaults = [] }) {
  const names = [...attributes, ...defaults.map((/** @type {any} */ { name }) => name)];
  return html`${part('Attributes', sets && names, (name) => html`<code>${plain(name)}</code>`)}
  ${part('Operation sets', sets, (one) => html`${plain(one.domain || 'ai.onnx')} ${one.version}`)}`;
}

/** The type of an input or output; functions of ONNX do not have it. @param {any} one */
const typeOf = (one) => {
  if (one.dtype === undefined && !one.type && !('type_attr' in one)) return nothing;
  return one.dtype === 'resource' ? 'resource' : brief(one);
};

/** @param {string} title @param {unknown} content */
const section = (title, content) =>
  html`<section class="part box">
    <h3 class="dim">${title}</h3>
    ${content}
  </section>`;

/** @param {string} title @param {any[] | null | undefined} list @param {(one: any) => unknown} show */
const part = (title, list, show) =>
  list?.length
    ? html`<section class="part box">
        <h3 class="dim">${title}${list.length > 5 ? ` · ${count(list.length)}` : ''}</h3>
        <ul class="bare" tabindex=${list.length > 14 ? 0 : nothing}>
          ${list.map((one) => html`<li>${show(one)}</li>`)}
        </ul>
      </section>`
    : nothing;

customElements.define('cpb-functions', Functions);
