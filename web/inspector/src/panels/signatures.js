/** A signature, followed through the five places where its inputs are defined. */
import { css, html, nothing } from 'lit';
import { tensor } from '../format.js';
import { Panel } from '../panel.js';

class Signatures extends Panel {
  static styles = [
    ...Panel.styles,
    css`
      .keys { display: flex; flex-wrap: wrap; gap: .4rem; margin-bottom: .75rem; }
      .keys [aria-current='true'] { border-color: var(--accent); color: var(--accent); }
      ol { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.6rem; }
      li.place { position: relative; border: 1px solid var(--line); background: var(--panel); border-radius: 10px; padding: .6rem .9rem; }
      li.place:not(:last-child)::after { content: '→'; position: absolute; right: -1.35rem; top: 45%; color: var(--dim); font-size: 1.2rem; }
      @media (max-width: 40rem) { li.place:not(:last-child)::after { content: '↓'; right: 50%; top: auto; bottom: -1.6rem; } }
      li.place h3 { margin: 0 0 .3rem; }
      .kind { color: var(--dim); font-size: .8rem; }
      .row { margin: .15rem 0; }
    `,
  ];
  #keys = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  #signature = this.asking(
    async ([session, at], { signal }) => {
      const { signatures } = await session.ask('overview', { signal });
      const keys = signatures.items.map((/** @type {any} */ s) => s.key);
      const key = at || keys.find((/** @type {string} */ k) => k === 'serving_default') || keys[0];
      return key ? session.ask('signature', { name: key, signal }) : undefined;
    },
    () => [this.at],
  );

  render() {
    return html`
      ${this.answer(this.#keys, (o) => html`<div class="keys" role="group" aria-label="Signatures">
        ${(o.signatures?.items ?? []).map(
          (/** @type {any} */ s) =>
            html`<button aria-current=${s.key === this.#signature.value?.key} @click=${() => this.go('signatures', s.key)}>${s.key}</button>`,
        )}
      </div>`)}
      ${this.answer(this.#signature, (s) => (s ? this.places(s) : html`<p>This model has no signatures.</p>`))}
    `;
  }

  /** @param {any} s */
  places(s) {
    const { wrapper, function: called } = s;
    return html`<ol aria-label="From the signature to its variables">
      <li class="place">
        <div class="kind">SignatureDef${s.method ? `, ${s.method}` : ''}</div>
        <h3>${s.key}</h3>
        ${rows('Inputs', s.inputs)} ${rows('Outputs', s.outputs)}
      </li>
      ${wrapper
        ? html`<li class="place">
            <div class="kind">${spoken(wrapper.kind)}</div>
            <h3>${this.link('objects', wrapper.path)}</h3>
            <div class="row">concrete function ${this.link('functions', wrapper.concrete_function ?? wrapper.function)}</div>
            ${wrapper.argument_keywords?.length
              ? html`<div class="row">arguments ${wrapper.argument_keywords.map((/** @type {string} */ k) => html`<code class="chip">${k}</code>`)}</div>`
              : nothing}
          </li>`
        : nothing}
      ${called
        ? html`<li class="place">
            <div class="kind">FunctionDef that the wrapper calls</div>
            <h3>${this.link('functions', called.name)}</h3>
            <div class="row">${called.nodes} nodes · ${this.link('graph', called.name, 'see its graph')}</div>
            ${called.objects?.map((/** @type {any} */ o) => html`<div class="row"><span class="dim">${spoken(o.kind)}</span> ${this.link('objects', o.path)}</div>`)}
          </li>`
        : nothing}
      ${captures(this, called?.captures ?? wrapper?.captures)}
    </ol>`;
  }
}

/** @param {Panel} panel @param {any[] | undefined} list */
const captures = (panel, list) =>
  list?.length
    ? html`<li class="place">
        <div class="kind">Captures: bound inputs</div>
        <h3>${list.length} ${list.length === 1 ? 'variable' : 'variables and constants'}</h3>
        ${list.map(
          (one) => html`<div class="row">
            ${panel.link('objects', one.path ?? '', one.name ?? one.path ?? one.kind)} <span class="dim">${tensor(one)}</span>
          </div>`,
        )}
      </li>`
    : nothing;

/** @param {string} title @param {any[]} tensors */
const rows = (title, tensors) =>
  tensors.length
    ? html`<h3>${title}</h3>
        ${tensors.map((t) => html`<div class="row"><code>${t.name}</code> <span class="dim">${tensor(t)}</span><br /><code class="dim">${t.tensor ?? ''}</code></div>`)}`
    : nothing;

/** @param {string | undefined} kind */
const spoken = (kind = 'object') => kind.replaceAll('_', ' ');

customElements.define('cpb-signatures', Signatures);
