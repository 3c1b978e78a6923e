/** The differences between this model and another. */
import { css, html, nothing } from 'lit';
import { addressOf, wholeAddress } from '../address.js';
import { modelsAmong, pathOf } from '../files.js';
import { count, counted, kindName, plain, shape, size, told } from '../format.js';
import { Panel } from '../panel.js';
import { Session } from '../session.js';
import { sidesLook, sidesOf } from './compare-sides.js';
import { graphKey, MEANINGS, SIGNS } from './graph-marks.js';
import { areShapes, isCount, itemWords, memberWords, sectionWords, valueWords } from './compare-words.js';

/** The sections that a reader looks for first; the others follow in the order of the answer. */
const FIRST = ['variables', 'constants', 'signatures', 'inputs', 'outputs', 'opset_imports', 'layers', 'nodes'];

/** Panels that list the items of the section of their name. */
const LISTING = ['signatures', 'functions', 'objects', 'variables'];

/** Differences of a section that are listed at once. */
const LISTED = 12;
/** Characters of a value that are shown. */
const SHOWN = 200;

/** @import { Change } from './graph-marks.js' */

class Compare extends Panel {
  static properties = { ...Panel.properties, chosen: { state: true } };
  static styles = [
    ...Panel.styles,
    sidesLook,
    css`
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
      .added {
        color: light-dark(#116329, #7ee787);
      }
      .removed {
        color: var(--bad);
      }
      .sign {
        display: inline-block;
        width: 1.2em;
        font-family: var(--mono);
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

  /** The other model, opened to show its graph beside this one's. */
  #other = this.asking(
    async ([session, at, chosen, isWanted, differences], { signal }) => {
      this.#close();
      if (!isWanted || !differences?.sections) return undefined;
      const [first] = modelsAmong(chosen);
      const other = (this.#opened = new Session(first ?? addressOf(at), { beside: chosen }));
      const [{ Sides }] = await Promise.all([import('./compare-graphs.js'), other.open(signal)]);
      const sessions = { a: session, b: other };
      const sides = new Sides(sessions, differences.sections, graphKey, () => {
        this.requestUpdate();
        if (sides.number >= 0) this.see({ difference: sides.number + 1 }); // a link leads to it
      });
      await sides.lead(Number(this.view.difference ?? 0) - 1);
      return sides;
    },
    () => [this.at, this.chosen, this.view.graphs === 'yes', this.#differences.value],
  );
  /** @type {Session | undefined} */
  #opened;

  #close() {
    this.#opened?.close();
    this.#opened = undefined;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#close();
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
      <form class="bar" @submit=${this.#submit}>
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
      ${this.graphs()}
      ${some.map((/** @type {any} */ one, /** @type {number} */ i) => this.section(one, i === 0 || some.length < 6))}
      ${same.length ? html`<p class="dim">The same: ${same.map(titleOf).join(', ')}.</p>` : nothing}
    `;
  }

  /** Both graphs, if the reader asks for them. */
  graphs() {
    if (this.view.graphs !== 'yes')
      return html`<p><button @click=${() => this.see({ graphs: 'yes' })}>Show both graphs</button></p>`;
    return this.answer(this.#other, (sides) =>
      sides
        ? html`${sidesOf(sides, ({ panel, at, node, view }) => this.go(panel, at, node, view))}
            <p><button @click=${() => this.see({ graphs: '' })}>Hide the graphs</button></p>`
        : nothing,
    );
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
      ${shown.map((one) => this.difference(one, section))}
      ${
        more.length
          ? html`<details>
              <summary>${count(more.length)} more</summary>
              ${more.map((one) => this.difference(one, section))}
            </details>`
          : nothing
      }
      ${rest ? html`<p class="dim">and ${count(rest)} more</p>` : nothing}
    </details>`;
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

  /** A node in both graphs. @param {string} graph @param {string} name */
  #show(graph, name) {
    this.renderRoot.querySelector('.both')?.scrollIntoView({ block: 'nearest' });
    this.#other.value?.show(graph, name);
  }

  /** The item, if this model has it. @param {string} name @param {Change} change @param {any} section */
  name(name, change, { section, function: inside = '' }) {
    const words = plain(itemWords(section, name));
    if (words !== plain(name)) return words;
    if (section === 'nodes' && this.view.graphs === 'yes')
      return html`<button class="link" @click=${() => this.#show(inside, name)}>${words}</button>`;
    if (change === 'added') return html`<code>${words}</code>`;
    if (section === 'nodes') return this.link('graph', inside, name, name);
    const panel = section === 'ops' ? 'operations' : LISTING.find((one) => one === section);
    return panel ? this.link(panel, name) : html`<code>${words}</code>`;
  }
}

/**
 * In a model with variables, constants do not count as weights.
 *
 * @param {{ section: string }} one @param {boolean} hasVariables
 */
const rankOf = ({ section }, hasVariables) =>
  FIRST.includes(section) && !(hasVariables && section === 'constants') ? FIRST.indexOf(section) : FIRST.length;

/** What changed before what only one of the models has. @param {any[]} list */
const inOrder = (list) =>
  [...list].sort((one, other) => Number(other.change === 'changed') - Number(one.change === 'changed'));

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
  const title = plain(memberWords(section, item, member));
  const said = (/** @type {unknown} */ fact) =>
    html`<div>
      ${title ? html`<dt class="dim">${title}</dt>` : nothing}
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
  const words = areShapes(member, a, b)
    ? shape
    : (/** @type {any} */ value) => valueWords(value, isCount(section, member));
  return said(html`<span class="removed">${short(words(a))}</span> → <span class="added">${short(words(b))}</span>`);
}

/** A part that one of the models lacks. @param {any} a @param {any} b */
function onlyOne(a, b) {
  const part = a ?? b;
  if ((a ?? null) !== null && (b ?? null) !== null) return undefined;
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined;
  const change = b ? 'added' : 'removed';
  return html`${MEANINGS[change]}: <span class=${change}>${short(valueWords(part))}</span>`;
}

/** @param {string} text */
function short(text) {
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
