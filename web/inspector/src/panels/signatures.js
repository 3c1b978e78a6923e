/** A signature, followed through the five places where its inputs are defined. */
import { css, html, nothing } from 'lit';
import { brief, count, counted, plain, size } from '../format.js';
import { broken, choices, Panel } from '../panel.js';
import { structured, tree } from './structured.js';

/** Captures that are listed at once. */
const MOST = 200;

class Signatures extends Panel {
  static styles = [
    ...Panel.styles,
    structured,
    css`
      ol {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr));
        gap: 1.1rem;
      }
      li.place {
        padding: 0.8rem 1rem 0.9rem;
        border-top: 3px solid var(--accent);
      }
      li.place:not(:first-child) > .kind::before {
        content: '→ ';
        color: var(--accent);
      }
      li.place > h3 {
        margin: 0.1rem 0 0.6rem;
        font-size: 1rem;
        overflow-wrap: anywhere;
      }
      h4 {
        margin: 0.8rem 0 0.25rem;
        font-size: 0.78rem;
        font-weight: 600;
        text-transform: uppercase;
        letter-spacing: 0.04em;
      }
      .row {
        margin: 0.3rem 0;
        overflow-wrap: anywhere;
      }
    `,
  ];
  #keys = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  #signature = this.asking(
    async ([session, at], { signal }) => {
      const { signatures } = await session.ask('overview', { signal });
      const keys = signatures?.items.map((/** @type {any} */ s) => s.key) ?? [];
      const key = at || keys.find((/** @type {string} */ k) => k === 'serving_default') || keys[0];
      return key ? session.ask('signature', { name: key, signal }) : undefined;
    },
    () => [this.at],
  );

  render() {
    // Signatures that only start the model come last.
    const all = this.#keys.value?.signatures?.items ?? [];
    const sorted = [...all].sort((a, b) => Number(!a.inputs.length) - Number(!b.inputs.length));
    const keys = sorted.map(({ key }) => key);
    return html`
      ${choices('Signatures', keys, this.#signature.value?.key, (key) => this.go('signatures', key))}
      ${this.answer(this.#signature, (s) => (s ? this.places(s) : html`<p class="empty">This model has no signatures.</p>`))}
    `;
  }

  /** @param {any} s */
  places(s) {
    const { wrapper, function: called } = s;
    const places = [
      this.definition(s),
      wrapper && this.wrapper(wrapper),
      called && this.called(called),
      this.captures(called?.captures?.length ? called.captures : wrapper?.captures),
    ].filter(Boolean);
    return html`<ol class="bare" aria-label="From the signature to its variables">
      ${places.map((place) => html`<li class="place box">${place}</li>`)}
    </ol>`;
  }

  /** @param {any} s */
  definition(s) {
    return html`<div class="dim small kind">
        SignatureDef${s.method ? ` · ${plain(s.method).replace('tensorflow/serving/', '')}` : ''}
      </div>
      <h3>${plain(s.key)}</h3>
      ${rows('Inputs', s.inputs)} ${rows('Outputs', s.outputs)}`;
  }

  /** @param {any} wrapper */
  wrapper(wrapper) {
    const name = wrapper.concrete_function ?? wrapper.function;
    const keywords = wrapper.argument_keywords ?? [];
    const words = keywords.map((/** @type {string} */ one) => html`<code class="chip">${plain(one)}</code>`);
    return html`<div class="dim small kind">Signature wrapper</div>
      <h3>${wrapper.path ? this.link('objects', wrapper.path) : plain(name)}</h3>
      ${section('Concrete function', html`<div class="row">${this.link('functions', name)}</div>`)}
      ${words.length ? section('Arguments', html`<div class="row">${words}</div>`) : nothing}`;
  }

  /** @param {any} called */
  called(called) {
    const objects = (called.objects ?? []).map(
      (/** @type {any} */ o) =>
        html`<div class="row">${this.link('objects', o.path)} <span class="dim small">${spoken(o.kind)}</span></div>`,
    );
    return html`<div class="dim small kind">The function that it calls</div>
      <h3>${this.link('functions', called.name, broken(called.name))}</h3>
      <div class="row">${counted(called.nodes, 'node')} · ${this.link('graph', called.name, 'see its graph')}</div>
      ${called.arguments?.length ? section('Arguments in Python', tree(called.arguments)) : nothing}
      ${called.returns ? section('Returns', tree([{ name: 'result', value: called.returns }])) : nothing}
      ${objects.length ? section('In the object graph', objects) : nothing}`;
  }

  /** @param {any[] | undefined} list */
  captures(list) {
    if (!list?.length) return undefined;
    const bytes = list.reduce((sum, one) => sum + (one.size ?? 0), 0);
    const variables = list.every((one) => one.kind === 'variable');
    return html`<div class="dim small kind">What it captures${bytes ? ` · ${size(bytes)}` : ''}</div>
      <h3>${counted(list.length, variables ? 'variable' : 'object')}</h3>
      ${list.slice(0, MOST).map((one) => html`<div class="row">${this.link('objects', one.path ?? (one.node === undefined ? '' : `#${one.node}`), one.name || one.path || one.kind)} <span class="type">${one.dtype ? brief(one) : spoken(one.kind)}</span></div>`)}
      ${list.length > MOST ? html`<p class="dim">and ${count(list.length - MOST)} more</p>` : nothing}`;
  }
}

/** @param {string} title @param {unknown} content */
const section = (title, content) =>
  html`<h4 class="dim">${title}</h4>
    ${content}`;

/** @param {string} title @param {any[]} tensors */
const rows = (title, tensors) =>
  tensors.length
    ? html`<h4 class="dim">${title}</h4>
        ${tensors.map((t) => html`<div class="row"><code>${plain(t.name)}</code> <span class="type">${t.dtype === 'invalid' ? '' : brief(t)}</span><br /><code class="dim">${plain(t.tensor ?? '')}</code></div>`)}`
    : nothing;

/** @param {string | undefined} kind */
const spoken = (kind = 'object') => kind.replaceAll('_', ' ');

customElements.define('cpb-signatures', Signatures);
