/** The object graph as a tree, opened level by level. */
import { css, html, nothing } from 'lit';
import { brief, count, counted, plain } from '../format.js';
import { pager, Panel, titled } from '../panel.js';
import { column, listing, numbers, table } from './listing.js';
import '../tensor.js';

class Objects extends Panel {
  static styles = [
    ...Panel.styles,
    listing,
    css`
      .crumbs {
        gap: 0.3rem;
        font-size: 1.05rem;
      }
      .crumbs span:not(:first-child)::before {
        content: '›';
        color: var(--dim);
        margin-right: 0.3rem;
      }
    `,
  ];
  #object = this.asking(
    async ([session, at, first], { signal }) => {
      const object = await session.ask('objects', { name: at || 'root', first: Number(first) || 0, signal });
      return { ...object, value: object.kind === 'variable' ? await valueOf(session, object, signal) : undefined };
    },
    () => [this.at, this.view.first],
  );

  /** @type {import('./listing.js').Column[]} */
  columns = [
    column(
      'child',
      'Child',
      (c) =>
        html`${c.kind ? this.link('objects', c.path ?? `#${c.node}`, c.child) : plain(c.child)}${c.elsewhere ? html` <span class="chip">same as ${plain(c.path)}</span>` : nothing}`,
    ),
    column('kind', 'Kind', (c) => spoken(c.kind)),
    column('about', 'What it is', about),
    numbers('children', 'Children', (c) => (c.children ? count(c.children) : '')),
  ];

  render() {
    return this.answer(
      this.#object,
      (o) => html`
        ${this.crumbs(o.path ?? this.at)}
        <div class="bar"><span class="chip">${spoken(o.kind)}</span><span>${about(o)}</span></div>
        ${
          o.children.total
            ? html`${table('children', this.columns, o.children.items)}
              ${pager(o.children, (first) => this.see({ first: first || '' }))}`
            : o.value
              ? nothing
              : html`<p class="empty">This object has no children.</p>`
        }
        ${o.kind === 'variable' ? html`<p class="small">${this.link('variables', o.path ?? this.at, 'In the list of variables')}</p>` : nothing}
        ${o.value ? html`<cpb-tensor .session=${this.session} .tensor=${o.value}></cpb-tensor>` : nothing}
        ${this.functions(o)}
      `,
    );
  }

  /** @param {string} path */
  crumbs(path) {
    const parts = path.startsWith('#') ? ['root', path] : path.split('.');
    return html`<nav class="bar crumbs" aria-label="Path">
      ${parts.map((part, i) => html`<span>${this.link('objects', part.startsWith('#') ? part : parts.slice(0, i + 1).join('.'), part)}</span>`)}
    </nav>`;
  }

  /** @param {any} o */
  functions(o) {
    const names = o.concrete_functions ?? (o.concrete_function ? [o.concrete_function] : []);
    const link = (/** @type {any} */ f) => this.link('functions', f.name ?? f.function ?? f);
    return titled(counted(names.length, 'concrete function'), names, link);
  }
}

/**
 * The stored values of a variable, for display; undefined if they are missing or incomplete.
 *
 * @param {any} session @param {any} object @param {AbortSignal} signal
 */
async function valueOf(session, { node, path }, signal) {
  const { variables } = await session.ask('variables', { name: `#${node}`, signal });
  const [{ name, key, stored }] = variables.items;
  return stored ? { name: path ?? name, variable: key, ...stored } : undefined;
}

/** A missing child has no kind. @param {string | undefined} kind */
const spoken = (kind) => kind?.replaceAll('_', ' ') ?? 'missing';

/** @param {any} o */
function about(o) {
  if (o.kind === 'variable')
    return html`<code>${plain(o.name)}</code>
      <span class="type">${brief(o)}</span>${o.trainable ? '' : html` <span class="chip">not trainable</span>`}`;
  return html`<code>${plain(o.identifier ?? o.function ?? o.concrete_function ?? o.file ?? '')}</code>`;
}

customElements.define('cpb-objects', Objects);
