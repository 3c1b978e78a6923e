/** The function library: a list, or one function. */
import { css, html, nothing } from 'lit';
import { count, counted, plain, tensor } from '../format.js';
import { pager, Panel } from '../panel.js';

class Functions extends Panel {
  static styles = [
    ...Panel.styles,
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
        color: var(--dim);
        font-size: 0.82rem;
      }
      .part ul {
        list-style: none;
        padding: 0;
        margin: 0;
        max-height: 24rem;
        overflow-y: auto;
      }
      .part li {
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
  static properties = { ...Panel.properties, first: { state: true } };

  constructor() {
    super();
    this.first = 0;
  }

  #answer = this.asking(
    ([session, at, first], { signal }) =>
      at ? session.ask('function', { name: at, signal }) : session.ask('functions', { first, signal }),
    () => [this.at, this.first],
  );

  render() {
    return this.answer(this.#answer, (a) => (a.functions ? this.list(a.functions) : this.one(a)));
  }

  /** @param {any} functions */
  list(functions) {
    if (!functions.total) return html`<p class="empty">The library has no functions.</p>`;
    return html`<p>${counted(functions.total, 'function')}</p>
      <div class="scroll box">
        <table>
          <thead>
            <tr>
              <th>Function</th>
              <th class="number">Inputs</th>
              <th class="number">Outputs</th>
              <th class="number">Nodes</th>
              <th class="number">Calls</th>
              <th class="number">Called by</th>
            </tr>
          </thead>
          <tbody>
            ${functions.items.map(
              (/** @type {any} */ f) =>
                html`<tr>
                  <td>
                    ${this.link('functions', f.name)}${f.stateful ? html` <span class="chip">stateful</span>` : nothing}
                  </td>
                  <td class="number">${count(f.inputs)}</td>
                  <td class="number">${count(f.outputs)}</td>
                  <td class="number">${count(f.nodes)}</td>
                  <td class="number">${count(f.calls)}</td>
                  <td class="number">${count(f.called_by)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${pager(functions, (first) => (this.first = first))}`;
  }

  /** @param {any} f */
  one(f) {
    const calls = (/** @type {any[]} */ list) =>
      list.map(
        (c) =>
          html`${c.function ? this.link('functions', c.function) : this.link('graph', '', 'the main graph')}
            <span class="dim">in ${counted(c.nodes, 'node')}</span>`,
      );
    return html`
      <p>← ${this.link('functions', '', 'All functions')}</p>
      <h2><code>${plain(f.name)}</code></h2>
      <p>
        ${counted(f.nodes, 'node')} ·
        ${this.link('graph', f.name, 'see its graph')}${f.stateful ? html` <span class="chip">stateful</span>` : ''}
      </p>
      <div class="parts">
        ${part(
          'Inputs',
          f.inputs.map(
            (/** @type {any} */ i) =>
              html`<code>${plain(i.user_name && i.user_name !== 'resource' ? i.user_name : i.name)}</code>
                <span class="type">${i.dtype === 'resource' ? 'resource' : tensor(i)}</span>`,
          ),
        )}
        ${part(
          'Outputs',
          f.outputs.map(
            (/** @type {any} */ o) =>
              html`<code>${plain(o.name)}</code> <span class="type">${o.dtype}</span>
                <code class="dim">${plain(o.tensor)}</code>`,
          ),
        )}
        ${part(
          'Captures',
          (f.captures ?? []).map(
            (/** @type {any} */ c) =>
              html`${this.link('objects', c.path ?? '', c.name || c.path || c.kind)}
                <span class="type">${c.dtype ? tensor(c) : c.kind}</span>`,
          ),
        )}
        ${part('Calls', calls(f.calls))} ${part('Called by', calls(f.called_by))}
        ${part(
          'In the object graph',
          (f.objects ?? []).map((/** @type {any} */ o) => this.link('objects', o.path)),
        )}
      </div>
    `;
  }
}

/** @param {string} title @param {unknown[]} list */
const part = (title, list) =>
  list.length
    ? html`<section class="part box">
        <h3>${title}${list.length > 5 ? ` · ${count(list.length)}` : ''}</h3>
        <ul tabindex=${list.length > 14 ? 0 : nothing}>
          ${list.map((one) => html`<li>${one}</li>`)}
        </ul>
      </section>`
    : nothing;

customElements.define('cpb-functions', Functions);
