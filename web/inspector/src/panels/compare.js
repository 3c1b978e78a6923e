/** The differences between this model and another. */
import { css, html, nothing } from 'lit';
import { addressOf, wholeAddress } from '../address.js';
import { modelsAmong, pathOf } from '../files.js';
import { count, counted, kindName, plain, size, told } from '../format.js';
import { Panel } from '../panel.js';
import * as kit from './compare-kit.js';
import { graphsIn, inOrder, MEANINGS, SIGNS } from './compare-marks.js';
import { isCount, itemWords, memberWords, sectionWords, valueWords } from './compare-words.js';
import { fromText } from './graph-scopes.js';

/** The sections that a reader looks for first; the others follow in the order of the answer. */
const FIRST = ['variables', 'constants', 'signatures', 'inputs', 'outputs', 'opset_imports', 'layers', 'nodes'];

/** Differences of a section that are listed at once. */
const LISTED = 12;
/** Characters of a value that are shown. */
const SHOWN = 200;

/** @typedef {import('./compare-marks.js').Change} Change */

class Compare extends Panel {
  static properties = { ...Panel.properties, chosen: { state: true } };
  static styles = [
    ...Panel.styles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: center;
        margin-bottom: 1rem;
      }
      form input[type='text'] {
        flex: 1 1 20rem;
      }
      details {
        padding: 0.4rem 0.9rem;
        margin: 0.5rem 0;
      }
      summary b {
        font-weight: 600;
      }
      .added,
      .sign.added {
        color: light-dark(#116329, #7ee787);
      }
      .removed,
      .sign.removed {
        color: var(--bad);
      }
      .sign {
        display: inline-block;
        width: 1.2em;
        font-family: var(--mono);
      }
      .sign.changed {
        color: light-dark(#8a5a00, #f0c060);
      }
      .listed {
        display: flex;
        gap: 0.8rem;
        align-items: baseline;
      }
      .listed > div {
        min-width: 0;
      }
      .listed > button {
        flex: none;
      }
      dl {
        display: inline;
        margin: 0;
        font-size: 0.88rem;
      }
      dl.several {
        display: block;
        margin: 0 0 0.2rem 1.3rem;
      }
      dl > div {
        display: inline;
        margin-left: 0.5rem;
      }
      dl.several > div {
        display: block;
        margin: 0;
      }
      dt,
      dd {
        display: inline;
        margin: 0;
        overflow-wrap: anywhere;
      }
      dt {
        color: var(--dim);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {File[]} the other model's files, if it has no address */
    this.chosen = [];
  }

  #differences = this.asking(
    async ([session, at, chosen, values], { signal }) => {
      const other = chosen.length ? this.#files(chosen) : at && { url: wholeAddress(addressOf(at)) };
      if (!other) return undefined;
      const answer = await session.look('compare', { other, skipValues: !values, signal });
      const { parameters } = values ? {} : await session.ask('overview', { signal });
      return { ...answer, price: parameters?.size ?? parameters?.bytes };
    },
    () => [this.at, this.chosen, this.#values],
  );

  /** The drawings of both graphs, loaded when they are asked for. @type {import('./compare-graph.js').Pair | undefined} */
  #drawings;

  #pair = this.asking(
    async ([session, answer, graph, node, open], { signal }) => {
      if (!graph || !answer?.sections || !graphsIn(answer.sections).length) return undefined;
      // Its module is next to the page's.
      this.#drawings ??= new (await import('./compare-graph.js')).Pair(this, kit);
      const url = this.chosen.length ? undefined : addressOf(this.at);
      const place = { graph: Number(graph), node, open: fromText(open) };
      const asked = { session, sections: answer.sections, input: { url, files: this.chosen }, place };
      return this.#drawings.read(asked, signal);
    },
    () => [this.#differences.value, this.view.graph, this.node, this.view.open],
  );

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#drawings?.close();
    this.#drawings = undefined;
  }

  updated() {
    if (this.#pair.value) this.#drawings?.updated(this.#pair.value);
  }

  /** A difference in both graphs, or without a number the list alone.
   * @param {number} [graph] @param {string} [node] @param {string} [open] */
  show(graph, node = '', open = '') {
    this.go('compare', this.at, node, { ...this.view, graph: graph === undefined ? '' : `${graph}`, open });
  }

  /** Leads to a difference in the list. @param {string} node */
  async find(node) {
    const one = [.../** @type {ShadowRoot} */ (this.renderRoot).querySelectorAll('[data-name]')].find(
      (one) => one.getAttribute('data-name') === node,
    );
    for (let at = one?.closest('details'); at; at = at.parentElement?.closest('details')) at.open = true;
    one?.scrollIntoView({ block: 'center' });
    /** @type {HTMLElement | undefined | null} */ (one?.querySelector('button'))?.focus();
  }

  /** Whether values are compared as well, which the reader asks for. */
  get #values() {
    return this.view.values === 'yes';
  }

  /** The model first. @param {File[]} files */
  #files(files) {
    const [first] = modelsAmong(files);
    const all = first ? [first, ...files.filter((file) => file !== first)] : [];
    // Distinguishes choices, because answers are kept by their questions.
    const name = all.map(({ name, size, lastModified }) => `${name} ${size} ${lastModified}`).join('\n');
    return { chosen: all.map((file) => ({ file, path: pathOf(file) })), name };
  }

  render() {
    return html`
      <form @submit=${this.#submit}>
        <input
          name="other"
          type="text"
          inputmode="url"
          spellcheck="false"
          aria-label="Address of the other model"
          placeholder="Address of another model"
          .value=${this.at}
        />
        <button class="main">Compare</button>
        <label class="file"
          >Files… <input type="file" multiple aria-label="Compare with files" @change=${this.#choose}
        /></label>
      </form>
      ${this.answer(this.#differences, (answer) => (answer ? this.differences(answer) : this.hint()))}
    `;
  }

  hint() {
    return html`<p class="empty">
      Give the address of another model, or choose its files, to see what differs: signatures, functions, nodes, layers,
      variables and constants.
    </p>`;
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.chosen = [];
    this.go('compare', String(new FormData(form).get('other') ?? '').trim(), '', this.view);
  }

  /** @param {any} event */
  #choose({ target }) {
    this.chosen = [...target.files];
  }

  /** @param {any} answer */
  differences({ a, b, damaged, equal, same: isSame, sections, tried, values, price }) {
    if (isSame)
      return html`<p role="status">This is the address of the model that is open: there is nothing to compare.</p>`;
    if (tried) return html`<p class="failure">There is no model at ${plain(this.at)}.</p>`;
    if (a !== b) return html`<p>This is a ${kindName(a)}, the other a ${kindName(b)}: they cannot be compared.</p>`;
    const hasVariables = sections.some((/** @type {any} */ one) => one.section === 'variables');
    const some = sections
      .filter((/** @type {any} */ one) => one.added + one.removed + one.changed)
      .sort(
        (/** @type {any} */ one, /** @type {any} */ other) => rankOf(one, hasVariables) - rankOf(other, hasVariables),
      );
    const same = sections.filter((/** @type {any} */ one) => !some.includes(one) && one.same);
    return html`
      ${damagedIn(damaged)}
      <p role="status">
        ${equal === null ? html`<b>Equal</b> in all that can be read of both; whether the rest is cannot be said.` : equal ? html`<b>Equal</b> in all that was compared${values ? '' : '; values were not'}.` : html`<b>They differ</b> in ${counted(total(some), 'item')}:`}
      </p>
      ${
        values || !price
          ? nothing
          : html`<p>
              <button @click=${() => this.see({ values: 'yes' })}>Compare values, too</button>
              <span class="dim small">reads up to ${size(price)} of each model, and nothing if both are one file</span>
            </p>`
      }
      ${this.#graphs(graphsIn(some))}
      ${some.map((/** @type {any} */ one, /** @type {number} */ i) => this.section(one, i === 0 || some.length < 6))}
      ${same.length ? html`<p class="dim">The same: ${same.map(titleOf).join(', ')}.</p>` : nothing}
    `;
  }

  /** Both graphs, or what shows them. @param {any[]} graphs that differ */
  #graphs(graphs) {
    if (!graphs.length) return nothing;
    if (!this.view.graph) return html`<p><button @click=${() => this.show(0)}>Show both graphs</button></p>`;
    const { value, status } = this.#pair;
    if (!value || !this.#drawings || status === 3) return this.answer(this.#pair, () => nothing);
    return this.#drawings.render(value, status === 1);
  }

  /** @param {any} section @param {boolean} open */
  section(section, open) {
    const { added, removed, changed, same, differences } = section;
    const rest = added + removed + changed - differences.length;
    const ordered = inOrder(differences);
    const [shown, more] = [ordered.slice(0, LISTED), ordered.slice(LISTED)];
    const counts = Object.entries({ added, removed, changed }).filter(([, n]) => n);
    return html`<details class="box" ?open=${open}>
      <summary>
        <b>${titleOf(section)}</b>
        ${counts.map(([change, n]) => html` <span class="chip ${change}">${count(n)} ${MEANINGS[/** @type {Change} */ (change)]}</span>`)}
        <span class="dim">${count(same)} the same</span>
      </summary>
      ${shown.map((one) => this.#listed(one, section))}
      ${
        more.length
          ? html`<details>
              <summary>${count(more.length)} more</summary>
              ${more.map((one) => this.#listed(one, section))}
            </details>`
          : nothing
      }
      ${rest ? html`<p class="dim">and ${count(rest)} more</p>` : nothing}
    </details>`;
  }

  /** Its sign leads to it in both graphs. @param {any} one @param {any} section */
  #listed(one, section) {
    if (section.section !== 'nodes') return this.difference(one, section);
    const graph = graphsIn(this.#differences.value.sections).indexOf(section);
    return html`<div class="listed" data-name=${one.name}>
      ${this.difference(one, section)}
      <button
        class="link small"
        aria-label=${`Show ${plain(one.name)} in both graphs`}
        @click=${() => this.show(graph, one.name)}
      >
        in both graphs
      </button>
    </div>`;
  }

  /** @param {any} one @param {any} section */
  difference({ change, name, members = [], a, b }, section) {
    const whole = a ?? b;
    return html`<div>
      <span class="sign ${change}" title=${MEANINGS[/** @type {Change} */ (change)]}
        >${SIGNS[/** @type {Change} */ (change)]}</span
      >${this.name(name, change, section)} ${whole?.op ? html`<span class="type">${plain(whole.op)}</span>` : nothing}
      ${members.length ? html`<dl class=${members.length > 1 ? 'several' : ''}>${members.map((/** @type {any} */ member) => memberOf(section.section, name, member))}</dl>` : nothing}
    </div>`;
  }

  /** The item, if this model has it. @param {string} name @param {Change} change @param {any} section */
  name(name, change, { section, function: inside = '' }) {
    const words = plain(itemWords(section, name));
    if (words !== plain(name)) return words;
    if (change === 'added') return html`<code>${words}</code>`;
    if (section === 'nodes') return this.link('graph', inside, name, name);
    const panel = {
      signatures: 'signatures',
      functions: 'functions',
      objects: 'objects',
      variables: 'variables',
      ops: 'operations',
    }[/** @type {string} */ (section)];
    return panel ? this.link(panel, name) : html`<code>${words}</code>`;
  }
}

/** In a model with variables, constants do not count as weights. @param {{ section: string }} one @param {boolean} hasVariables */
const rankOf = ({ section }, hasVariables) =>
  FIRST.includes(section) && !(hasVariables && section === 'constants') ? FIRST.indexOf(section) : FIRST.length;

/** @param {any[]} sections */
const total = (sections) => sections.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, 0);

/** @param {any} section */
const titleOf = ({ section, function: name, tag, meta_graph: number }) =>
  [
    sectionWords(section),
    name && `of ${plain(name)}`,
    tag && `of ${plain(tag)}`,
    number ? `(meta graph ${number})` : '',
  ]
    .filter(Boolean)
    .join(' ');

/** @param {string} section @param {string} item @param {any} member */
function memberOf(section, item, { member, a, b, different, of, largest, unreadable }) {
  const words = plain(memberWords(section, item, member));
  const said = (/** @type {unknown} */ fact) =>
    html`<div>
      ${words ? html`<dt>${words}</dt>` : nothing}
      <dd>${fact}</dd>
    </div>`;
  if (different !== undefined)
    return said(
      html`${count(different)} of ${count(of)}
      differ${largest ? html`, by ${plain(largest.difference)} at most` : nothing}`,
    );
  if (unreadable) return said('cannot be read');
  const one = onlyOne(a, b);
  if (one) return said(one);
  const counts = isCount(section, member);
  return said(html`<span class="removed">${short(a, counts)}</span> → <span class="added">${short(b, counts)}</span>`);
}

/** A part that one of the models lacks. @param {any} a @param {any} b */
function onlyOne(a, b) {
  const part = a ?? b;
  if ((a ?? null) !== null && (b ?? null) !== null) return undefined;
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined;
  const change = b ? 'added' : 'removed';
  return html`${MEANINGS[change]}: <span class=${change}>${short(part)}</span>`;
}

/** @param {unknown} value @param {boolean} [counts] */
function short(value, counts) {
  const text = valueWords(value, counts);
  if (!text) return html`<span class="dim">none</span>`;
  return html`<code>${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</code>`;
}

customElements.define('cpb-compare', Compare);

/** Which model is damaged, and where. @param {any} damaged */
const damagedIn = (damaged) =>
  Object.entries(damaged ?? {}).map(
    ([side, { offset, text }]) =>
      html`<p class="damage" role="alert">
        <strong>${side === 'a' ? 'This' : 'The other'} model is damaged or incomplete.</strong>
        ${offset === null ? nothing : `Byte ${count(offset)}: `}${told(text)}. What cannot be read is not compared.
      </p>`,
  );
