/** Where the bytes are: variables and constants, or parameters, as a treemap by name scope. */
import { css, html, nothing, svg } from 'lit';
import { arrows } from '../arrows.js';
import { constantsOf, variablesOf } from '../answers.js';
import { brief, count, counted, percent, plain, size } from '../format.js';
import { Panel } from '../panel.js';
import { column, list, listing, numbers, types, wide } from './listing.js';
import { GROUPS, grouped, sizeOf, squares } from './treemap.js';
import { valuesOf } from '../tensor.js';

/** The most items to draw; the rest are smaller than any of them. */
const DRAWN = 300;
/** Values of an array that its row has. */
const VALUES = 3;
/** The share with which a group is in the legend, and the most of them. */
const [SHARE, KEYS] = [0.01, 14];
/** The height of a group's name, and the width of a character. */
const [LINE, LETTER] = [18, 7];

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
        fill-opacity: 0.33;
      }
      .group {
        fill-opacity: 0.12;
      }
      g:hover rect,
      g[aria-pressed='true'] rect {
        fill-opacity: 0.55;
      }
      g:focus-visible {
        outline: none;
      }
      text.group {
        font-weight: 600;
        fill-opacity: 1;
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
      }
      .keys {
        gap: 0.2rem 1.1rem;
        margin: 0.6rem 0 0.9rem;
      }
      .keys svg {
        display: inline-block;
        width: 0.8em;
        height: 0.8em;
        border-radius: 3px;
        margin-right: 0.4em;
      }
      .keys rect {
        fill-opacity: 0.6;
        stroke: none;
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
        ${drawn.length ? this.map(drawn) : nothing} ${selected ? valuesOf(this.session, selected) : nothing}
        ${own.length ? this.table(own, word) : nothing} ${this.savers(saver)}
      `;
    });
  }

  /** Constants with the places of variables are of no interest to most readers. @param {any[]} saver */
  savers(saver) {
    return saver.length
      ? html`<details ?open=${saver.some((one) => keyOf(one) === this.at)}>
          <summary>
            ${size(sizeOf(saver))} in ${counted(saver.length, 'constant')} of the saver: the names under which variables
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
    const [width, height] = [this.width, Math.round(Math.min(520, Math.max(280, this.width * 0.45)))];
    const groups = grouped(itemsOf(list));
    const areas = squares(groups, { x: 0, y: 0, width, height });
    const start = list.some((one) => keyOf(one) === this.at) ? this.at : keyOf(groups[0]?.items[0]?.one ?? {});
    return html`<svg
        viewBox="0 0 ${width} ${height}"
        role="group"
        aria-label="By size: arrow keys go from one to the next"
        @keydown=${arrows}
      >
        ${areas.map((area, i) => this.group(area, colour(i), start))}
      </svg>
      ${keys(groups)}`;
  }

  /** A group's arrays, under its name. @param {any} area @param {string} fill @param {string} start */
  group({ of: { name, items, size: bytes, depth }, x, y, width, height }, fill, start) {
    const isNamed = items.length > 1 && width > 60 && height > 3 * LINE;
    const line = isNamed ? LINE : 0;
    const inner = { x: x + 1, y: y + 1 + line, width: Math.max(1, width - 2), height: Math.max(1, height - 2 - line) };
    const title = `${name} ${size(bytes)}`;
    return svg`${
      isNamed
        ? svg`<rect class="group" fill=${fill} x=${x + 1} y=${y + 1} width=${width - 2} height=${height - 2} rx="4"></rect>
          <text class="group" aria-hidden="true" x=${x + 7} y=${y + 15}>${plain(title.length * LETTER < width - 12 ? title : fitted([name], width - 12))}</text>`
        : nothing
    }${squares(items, inner).map((one) => this.leaf(one, fill, isNamed ? depth : depth - 1, start))}`;
  }

  /**
   * @param {any} area
   * @param {string} fill
   * @param {number} depth of the parts of its name that the group's has
   * @param {string} start
   */
  leaf({ of: { one, parts }, x, y, width, height }, fill, depth, start) {
    const isLarge = width > 48 && height > LINE;
    return svg`<g tabindex=${keyOf(one) === start ? 0 : -1} role="button" aria-pressed=${keyOf(one) === this.at}
        @click=${() => this.go('bytes', keyOf(one))}>
      <title>${plain(one.name)}, ${brief(one)}, ${size(one.size)}</title>
      <rect fill=${fill} x=${x} y=${y} width=${width} height=${height} rx="3"></rect>
      ${isLarge ? svg`<text aria-hidden="true" x=${x + 7} y=${y + 15}>${plain(fitted(parts.slice(Math.min(depth, parts.length - 1)), width - 12))}</text>` : nothing}
      ${isLarge && height > 2 * LINE ? svg`<text aria-hidden="true" class="size" x=${x + 7} y=${y + 30}>${size(one.size)}</text>` : nothing}
    </g>`;
  }

  /** @param {any[]} rows @param {string} word */
  table(rows, word) {
    const { view } = this;
    const has = (/** @type {(one: any) => unknown} */ of) => rows.some((one) => of(one));
    /** @type {(import('./listing.js').Column | false)[]} */
    const columns = [
      column(
        'name',
        'Name',
        (one) =>
          html`${this.link('bytes', keyOf(one), one.name, '', view)} <span class="type narrow">${brief(one)}</span>`,
        (one) => one.name,
      ),
      has(isVariable) && has((one) => one.isConstant) && wide(column('what', 'What', whatOf, whatOf)),
      has(withinOf) && wide(column('in', 'In', (one) => this.#placeOf(one), withinOf)),
      wide(types('type', 'Type', brief)),
      has(({ tensor }) => tensor?.preview) &&
        wide(
          column('value', 'Value', ({ tensor }) =>
            tensor?.preview ? html`<code>${previewOf(tensor)}</code>` : nothing,
          ),
        ),
      numbers('size', 'Size', (one) => size(one.size)),
    ];
    return list(this, {
      rows,
      what: has(isVariable) ? 'weights' : word,
      sort: 'size',
      columns: columns.filter((one) => one !== false),
      text: (one) => `${one.name} ${withinOf(one)}`,
    });
  }

  /** @param {any} one */
  #placeOf({ within, isConstant }) {
    if (within) return this.link('functions', within);
    return html`<span class="dim">${isConstant ? 'the graph' : ''}</span>`;
  }
}

/**
 * Variables and constants of a SavedModel, constants of a graph, parameters of a SameDiff tag.
 *
 * @param {import('../session.js').Session} session @param {string | undefined} tag @param {AbortSignal} signal
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
    return html`${i && parts[0]?.length ? ', ' : ''}<strong>${size(sizeOf(part))}</strong> in
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
const withinOf = (/** @type {any} */ one) => one.within ?? '';

/** Hues of neighbours in the legend are far apart; the last groups have none. @param {number} i */
const colour = (i) => (i < GROUPS ? `hsl(${Math.round(222 + i * 137.5) % 360} 65% 55%)` : 'hsl(220 10% 55%)');

/** What the colours mean, of large groups. @param {import('./treemap.js').Group[]} groups */
function keys(groups) {
  const all = sizeOf(groups);
  const large = groups.filter((one) => one.size >= SHARE * all).slice(0, KEYS);
  const rest = groups.slice(large.length);
  const told = (/** @type {number} */ bytes) => html`<span class="dim">${size(bytes)}, ${percent(bytes, all)}</span>`;
  if (groups.length < 2) return nothing;
  return html`<ul class="bare bar small keys">
    ${large.map(
      ({ name, size: bytes }, i) =>
        html`<li>
          <svg viewBox="0 0 1 1" aria-hidden="true"><rect fill=${colour(i)} width="1" height="1"></rect></svg
          >${plain(name)} ${told(bytes)}
        </li>`,
    )}
    ${rest.length ? html`<li>${counted(rest.length, 'other')} ${told(sizeOf(rest))}</li>` : nothing}
  </ul>`;
}

/** What fits of a name: its last parts, or their beginning. @param {string[]} parts @param {number} width */
function fitted(parts, width) {
  const most = Math.floor(width / LETTER);
  for (let at = 0; at < parts.length; at++) {
    const text = (at ? '…' : '') + parts.slice(at).join('');
    if (text.length <= most) return text;
  }
  return `${parts.at(-1)?.slice(0, most - 1)}…`;
}

/** How TensorFlow reads a variable, after its name. */
const READ = /(\/Cast)?\/ReadVariableOp(_\d+)?(\/resource)?$/;

/** With the parts of their names: the function, scopes or modules. Constants beside variables are together.
 * @param {any[]} list */
function itemsOf(list) {
  const isMixed = list.some(isVariable) && list.some((one) => one.isConstant);
  return list
    .filter((one) => one.size > 0)
    .map((one) => {
      const around = [isMixed && one.isConstant && 'constants/', one.within && `${one.within}/`].filter(Boolean);
      return { one, size: one.size, parts: [...around, ...one.name.replace(READ, '').split(/(?<=[/.])/)] };
    });
}

customElements.define('cpb-bytes', Bytes);
