/** Where the bytes are: variables and constants, or parameters, as a treemap by name scope. */
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import { css, html, nothing, svg } from 'lit';
import { arrows } from '../arrows.js';
import { constantsOf, tensorOf, variablesOf } from '../answers.js';
import { brief, count, counted, plain, size } from '../format.js';
import { Panel } from '../panel.js';
import { list, listing, numbers } from './listing.js';
import '../tensor.js';

/** The most items to draw; the rest are smaller than any of them. */
const DRAWN = 300;
/** Values of an array that its row has. */
const VALUES = 3;
/** The largest scopes have their own colours; the last colour is for all others. */
const COLOURS = 8;

class Bytes extends Panel {
  static properties = { ...Panel.properties, width: { state: true } };
  static styles = [
    ...Panel.styles,
    listing,
    css`
      svg {
        width: 100%;
        height: auto;
        border-radius: 10px;
        display: block;
      }
      g {
        cursor: pointer;
      }
      rect {
        stroke: var(--page);
        stroke-width: 1;
        fill: var(--hue);
        fill-opacity: 0.3;
      }
      .c0 {
        --hue: light-dark(#2563eb, #7aa2ff);
      }
      .c1 {
        --hue: light-dark(#0d9488, #3dd6c4);
      }
      .c2 {
        --hue: light-dark(#c2570c, #ffab6b);
      }
      .c3 {
        --hue: light-dark(#9333ea, #c99bff);
      }
      .c4 {
        --hue: light-dark(#4d7c0f, #a9d65c);
      }
      .c5 {
        --hue: light-dark(#be185d, #ff8fbd);
      }
      .c6 {
        --hue: light-dark(#a16207, #f0cb5a);
      }
      .c7 {
        --hue: light-dark(#64748b, #a8b6c9);
      }
      g:hover rect,
      g[aria-pressed='true'] rect {
        fill-opacity: 0.55;
      }
      g:focus-visible {
        outline: none;
      }
      g:is([aria-pressed='true'], :focus-visible) rect {
        stroke: var(--text);
        stroke-width: 2;
      }
      text {
        font:
          12px system-ui,
          sans-serif;
        fill: var(--text);
        pointer-events: none;
      }
      text.size {
        font-size: 10.5px;
        opacity: 0.85;
        font-variant-numeric: tabular-nums;
      }
      .keys {
        display: flex;
        flex-wrap: wrap;
        gap: 0.2rem 1.1rem;
        margin: 0.6rem 0 0.9rem;
        font-size: 0.85rem;
        color: var(--dim);
      }
      .keys i {
        display: inline-block;
        width: 0.8em;
        height: 0.8em;
        border-radius: 3px;
        background: var(--hue);
        opacity: 0.6;
        margin-right: 0.4em;
      }
    `,
  ];

  constructor() {
    super();
    this.width = 1000;
  }

  #arrays = this.asking(
    ([session, tag], { signal }) => arraysOf(session, tag, signal),
    () => [this.view.tag],
  );
  #watch = new ResizeObserver(([entry]) =>
    requestAnimationFrame(() => (this.width = Math.max(320, Math.round(entry?.contentRect.width ?? 1000)))),
  );

  connectedCallback() {
    super.connectedCallback();
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#watch.disconnect();
  }

  render() {
    return this.answer(this.#arrays, ({ list: all, total, word, missing }) => {
      const saver = all.filter(isSavers);
      const own = all.filter((/** @type {any} */ one) => !isSavers(one));
      if (!all.length)
        return html`<p class="empty">
          The graph has no constants. The values of variables are stored in separate files beside the model, which
          ${this.link('variables', '', 'Variables')} lists.
        </p>`;
      const selected = all.find((/** @type {any} */ one) => keyOf(one) === this.at);
      const drawn = [...own].sort((/** @type {any} */ a, /** @type {any} */ b) => b.size - a.size).slice(0, DRAWN);
      return html`
        <div class="bar">
          <p>
            ${sums(own, word)}${drawn.length < own.length ? `; the largest ${DRAWN} are drawn` : ''}${missing ? `, of ${count(total)}` : ''}
          </p>
          ${selected ? nothing : html`<p class="dim">Choose one to see its values.</p>`}
        </div>
        ${drawn.length ? this.map(drawn) : nothing} ${selected ? this.chosen(selected) : nothing}
        ${own.length ? this.table(own, word) : nothing} ${this.savers(saver)}
      `;
    });
  }

  /** @param {any} one */
  chosen(one) {
    const tensor = tensorOf(one);
    return tensor
      ? html`<cpb-tensor .session=${this.session} .tensor=${tensor}></cpb-tensor>`
      : html`<p>
          <code>${plain(one.name)}</code> <span class="type">${brief(one)}</span>: its value is in a file beside the
          model that is not available here.
        </p>`;
  }

  /** Constants with the places of variables are of no interest to most readers. @param {any[]} saver */
  savers(saver) {
    return saver.length
      ? html`<details ?open=${saver.some((one) => keyOf(one) === this.at)}>
          <summary>
            ${size(sumOf(saver))} in ${counted(saver.length, 'constant')} of the saver: the names under which variables
            are stored
          </summary>
          <ul>
            ${saver.map((one) => html`<li>${this.link('bytes', keyOf(one), one.name)} <span class="type">${brief(one)}</span> <span class="dim small">${size(one.size)}</span></li>`)}
          </ul>
        </details>`
      : nothing;
  }

  /** @param {any[]} list */
  map(list) {
    const [width, height] = [this.width, Math.round(Math.min(460, Math.max(260, this.width * 0.45)))];
    const mixed = list.some(isVariable) && list.some((one) => one.isConstant);
    const root = hierarchy(scopes(list, mixed))
      .sum((/** @type {any} */ d) => d.size ?? 0)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => (b.value ?? 0) - (a.value ?? 0));
    treemap().tile(treemapSquarify).size([width, height]).paddingInner(2).round(true)(/** @type {any} */ (root));
    const leaves = root.leaves();
    const keys = keysOf(branching(root).children ?? []);
    const colour = (/** @type {any} */ leaf) => {
      const key = keys.of.get(leaf.ancestors().find((/** @type {any} */ one) => keys.of.has(one)));
      return Math.min(COLOURS - 1, keys.names.indexOf(key ?? ''));
    };
    const start = leaves.find((/** @type {any} */ leaf) => keyOf(leaf.data.one) === this.at) ?? leaves[0];
    const names = distinct(leaves.map((/** @type {any} */ { data }) => data.one.name));
    return html`<svg
        viewBox="0 0 ${width} ${height}"
        role="group"
        aria-label="By size: arrow keys go from one to the next"
        @keydown=${arrows}
      >
        ${leaves.map((/** @type {any} */ leaf, /** @type {number} */ i) => this.leaf(leaf, names[i] ?? '', colour(leaf), leaf === start))}
      </svg>
      ${
        keys.names.length > 1
          ? html`<div class="keys">
              ${keys.names.slice(0, COLOURS).map((name, i) => html`<span class="c${i}"><i></i>${i === COLOURS - 1 && keys.names.length > COLOURS ? 'others' : plain(keys.said(name))}</span>`)}
            </div>`
          : nothing
      }`;
  }

  /** @param {any} leaf @param {string} label @param {number} colour @param {boolean} start */
  leaf({ x0, y0, x1, y1, data: { one } }, label, colour, start) {
    const name = plain(one.name);
    const [width, height] = [x1 - x0, y1 - y0];
    return svg`<g class="c${colour}" tabindex=${start ? 0 : -1} role="button" aria-pressed=${keyOf(one) === this.at}
        @click=${() => this.go('bytes', keyOf(one))}>
      <title>${name}, ${brief(one)}, ${size(one.size)}</title>
      <rect x=${x0} y=${y0} width=${width} height=${height} rx="3"></rect>
      ${width > 54 && height > 20 ? svg`<text aria-hidden="true" x=${x0 + 7} y=${y0 + 17}>${fitted(label, width - 12)}</text>` : nothing}
      ${width > 54 && height > 38 ? svg`<text aria-hidden="true" class="size" x=${x0 + 7} y=${y0 + 32}>${size(one.size)}</text>` : nothing}
    </g>`;
  }

  /** @param {any[]} rows @param {string} word */
  table(rows, word) {
    const { view } = this;
    const has = (/** @type {(one: any) => unknown} */ of) => rows.some((one) => of(one));
    /** @type {(import('./listing.js').Column | false)[]} */
    const columns = [
      {
        key: 'name',
        title: 'Name',
        by: (one) => one.name,
        show: (one) =>
          html`${this.link('bytes', keyOf(one), one.name, '', view)} <span class="type narrow">${brief(one)}</span>`,
      },
      has(isVariable) &&
        has((one) => one.isConstant) && {
          key: 'what',
          title: 'What',
          wide: true,
          by: whatOf,
          show: whatOf,
        },
      has((one) => one.within) && {
        key: 'in',
        title: 'In',
        wide: true,
        by: (one) => one.within ?? '',
        show: (one) =>
          one.within
            ? this.link('functions', one.within)
            : html`<span class="dim">${one.isConstant ? 'the graph' : ''}</span>`,
      },
      { key: 'type', title: 'Type', wide: true, show: (one) => html`<span class="type">${brief(one)}</span>` },
      has(({ tensor }) => tensor?.preview) && {
        key: 'value',
        title: 'Value',
        wide: true,
        show: ({ tensor }) => (tensor?.preview ? html`<code>${previewOf(tensor)}</code>` : nothing),
      },
      numbers('size', 'Size', { wide: false, show: (one) => size(one.size) }),
    ];
    return list(this, {
      rows,
      what: has(isVariable) ? 'weights' : word,
      sort: 'size',
      columns: columns.filter((one) => one !== false),
      text: (one) => `${one.name} ${one.within ?? ''}`,
    });
  }
}

/**
 * Variables and constants of a SavedModel, constants of a graph, parameters of a SameDiff tag.
 *
 * @param {import('../session.js').Session} session
 * @param {string | undefined} tag
 * @param {AbortSignal} signal
 */
async function arraysOf(session, tag, signal) {
  const isSaved = session.about.kind === 'saved_model';
  const [constants, variables] = await Promise.all([
    constantsOf(session, { signal }, tag),
    isSaved ? variablesOf(session, { signal }) : { list: [] },
  ]);
  const { list: all, total, what: word, problems = [] } = constants;
  const weights = variables.list.filter((/** @type {any} */ one) => !one.twin);
  return {
    list: [...weights, ...all],
    total,
    word,
    missing: all.length < total,
    problems: [...problems, .../** @type {any} */ (variables.problems ?? [])],
  };
}

/** @param {any[]} own @param {string} word */
function sums(own, word) {
  const parts = [own.filter(isVariable), own.filter((one) => one.isConstant)];
  return parts.map((part, i) => {
    if (!part.length) return nothing;
    const what = i ? word : 'variables';
    return html`${i && parts[0]?.length ? ', ' : ''}<strong>${size(sumOf(part))}</strong> in
      ${counted(part.length, what.slice(0, -1))}`;
  });
}

/** Constants that tell the saver where variables are stored: in its functions, or made for them. @param {any} one */
const isSavers = ({ isConstant, within: name, name: node, dtype, shape, size: bytes }) =>
  isConstant &&
  (/^__inference__traced_(save|restore)/.test(name ?? '') ||
    /^save(_\d+)?\/|(^|\/)(SaveV2|RestoreV2)(_\d+)?\/(tensor_names|shape_and_slices)$/.test(node ?? '') ||
    (!name && dtype === 'string' && shape?.length === 0 && bytes > 64 && /^Const(_\d+)?$/.test(node)));

/** The first values, if the answer has them. @param {any} one */
function previewOf({ preview, preview_more: more }) {
  const text = (/** @type {any} */ value) =>
    typeof value === 'string'
      ? JSON.stringify(value)
      : (value?.text ?? (typeof value === 'object' ? '…' : String(value)));
  const shown = preview.slice(0, VALUES).map(text).join(', ');
  return plain(shown.length > 60 ? `${shown.slice(0, 60)}…` : shown) + (more || preview.length > VALUES ? ', …' : '');
}

const isVariable = (/** @type {any} */ one) => !one.isConstant;
const whatOf = (/** @type {any} */ one) => (one.isConstant ? 'constant' : 'variable');
const keyOf = (/** @type {any} */ one) => one.at;
const sumOf = (/** @type {any[]} */ list) => list.reduce((sum, one) => sum + one.size, 0);

/** The first one with more than one child. @param {any} node @returns {any} */
function branching(node) {
  while (node.children?.length === 1 && node.children[0].children) [node] = node.children;
  return node;
}

/** The groups with colours of their own: each scope, or, if there are many, those whose names begin alike; the largest
 * first.
 * @param {any[]} tops */
function keysOf(tops) {
  const alike = (/** @type {string} */ name) => (tops.length > COLOURS ? (/^.[^_.]*/.exec(name)?.[0] ?? name) : name);
  const of = new Map(tops.map((top) => [top, alike(top.data.name)]));
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const [top, key] of of) sizes.set(key, (sizes.get(key) ?? 0) + top.value);
  const whole = new Set(tops.map(({ data }) => data.name));
  const said = (/** @type {string} */ name) => (whole.has(name) ? name : `${name}…`);
  return { of, said, names: [...sizes.keys()].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)) };
}

/** Names without their common beginning and end, in whole parts. @param {string[]} names */
function distinct(names) {
  const paths = names.map((name) => name.split('/'));
  const [first = []] = paths;
  const least = Math.min(...paths.map((path) => path.length)) - 1;
  let [head, tail] = [0, 0];
  while (head < least && paths.every((path) => path[head] === first[head])) head++;
  while (tail < least - head && paths.every((path) => path.at(-1 - tail) === first.at(-1 - tail))) tail++;
  return paths.map((path) => path.slice(head, path.length - tail).join('/'));
}

/** The part of a name that fits. @param {string} name @param {number} width */
const fitted = (name, width) => {
  const most = Math.floor(width / 7);
  const text = plain(name);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

/** A tree of name scopes. @param {any[]} list @param {boolean} mixed constants next to variables are a scope */
function scopes(list, mixed) {
  /** @type {any} */
  const root = { name: '', children: [], by: new Map() };
  for (const one of list) {
    const top = mixed && one.isConstant ? 'constants' : '';
    const path = [top, one.within, ...one.name.split('/')].filter(Boolean);
    let at = root;
    for (const part of path.slice(0, -1)) {
      if (!at.by.has(part)) {
        const scope = { name: part, children: [], by: new Map() };
        at.by.set(part, scope);
        at.children.push(scope);
      }
      at = at.by.get(part);
    }
    at.children.push({ name: path.at(-1), size: one.size, one });
  }
  return root;
}

customElements.define('cpb-bytes', Bytes);
