/** The function library: a list, or one function. */
import { html, nothing } from 'lit';
import { counted, tensor } from '../format.js';
import { pager, Panel } from '../panel.js';

class Functions extends Panel {
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
    return html`<p>${counted(functions.total, 'function')}</p>
      <div class="scroll"><table>
        <thead><tr><th>Function</th><th class="number">Inputs</th><th class="number">Outputs</th><th class="number">Nodes</th><th class="number">Calls</th><th class="number">Called by</th></tr></thead>
        <tbody>
          ${functions.items.map(
            (/** @type {any} */ f) => html`<tr>
              <td>${this.link('functions', f.name)}${f.stateful ? html` <span class="chip">stateful</span>` : nothing}</td>
              <td class="number">${f.inputs}</td><td class="number">${f.outputs}</td><td class="number">${f.nodes}</td>
              <td class="number">${f.calls}</td><td class="number">${f.called_by}</td>
            </tr>`,
          )}
        </tbody>
      </table></div>
      ${pager(functions, (first) => (this.first = first))}`;
  }

  /** @param {any} f */
  one(f) {
    const calls = (/** @type {any[]} */ list) => list.map((c) => html`<li>${this.link('functions', c.function)} <span class="dim">${counted(c.nodes, 'node')}</span></li>`);
    return html`
      <p>${this.link('functions', '', 'All functions')}</p>
      <h2><code>${f.name}</code></h2>
      <p>${counted(f.nodes, 'node')} · ${this.link('graph', f.name, 'see its graph')}${f.stateful ? ' · stateful' : ''}</p>
      <h3>Inputs</h3>
      <ul>${f.inputs.map((/** @type {any} */ i) => html`<li><code>${i.user_name ?? i.name}</code> <span class="dim">${tensor(i)}</span></li>`)}</ul>
      <h3>Outputs</h3>
      <ul>${f.outputs.map((/** @type {any} */ o) => html`<li><code>${o.name}</code> <span class="dim">${o.dtype}</span> <code class="dim">${o.tensor}</code></li>`)}</ul>
      ${f.captures?.length ? html`<h3>Captures</h3><ul>${f.captures.map((/** @type {any} */ c) => html`<li>${this.link('objects', c.path ?? '', c.name ?? c.path)} <span class="dim">${tensor(c)}</span></li>`)}</ul>` : nothing}
      ${f.calls.length ? html`<h3>Calls</h3><ul>${calls(f.calls)}</ul>` : nothing}
      ${f.called_by.length ? html`<h3>Called by</h3><ul>${calls(f.called_by)}</ul>` : nothing}
      ${f.objects?.length ? html`<h3>In the object graph</h3><ul>${f.objects.map((/** @type {any} */ o) => html`<li>${this.link('objects', o.path)}</li>`)}</ul>` : nothing}
    `;
  }
}

customElements.define('cpb-functions', Functions);
