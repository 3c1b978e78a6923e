/** The graphs of two models, side by side, with what differs; loaded when it is asked for. */
import { MEANINGS, SIGNS, colourOf, counter, differencesIn, graphsIn, signsOf, spokenOf } from './compare-marks.js';

/** @typedef {import('../model/gather.js').Group} Group */
/** @typedef {import('../session.js').Session} Session */
/** @typedef {import('./compare-marks.js').Change} Change */
/** @typedef {import('./compare-marks.js').Difference} Difference */
/** @typedef {typeof import('./compare-kit.js')} Kit */
/** One of the drawings. @typedef {{ drawn: any, layout: any, missing?: string }} Side */
/** What the address says. @typedef {{ graph: number, node: string, open: string[] | undefined }} Place */

/** The largest number of boxes that are drawn. */
const MOST = 600;
/** The main graph. */
const WHOLE = '/';
const TITLES = ['This model', 'The other'];
/** What each of the drawings lacks. @type {Change[]} */
const LACKED = ['added', 'removed'];

/** How the pair looks; the boxes look as in the panel of the graph. */
export const pairLook = `
.pair { border: 1px solid var(--line); border-radius: 10px; background: var(--panel); margin: 0.8rem 0; overflow: clip; }
.pair .steps, .pair .told { display: flex; flex-wrap: wrap; gap: 0.3rem 0.6rem; align-items: center; margin: 0; padding: 0.4rem 0.8rem; border-bottom: 1px solid var(--line); font-size: 0.87rem; }
.pair .told > div { flex: 1 1 20rem; min-width: 0; overflow-wrap: anywhere; }
.pair select { min-width: 0; max-width: 20rem; border: 1px solid var(--line); border-radius: 7px; background: var(--panel); padding: 0.25rem 0.5rem; }
.pair .steps .close { margin-left: auto; }
.pair .legend { display: flex; flex-wrap: wrap; gap: 0 0.9rem; margin: 0; padding: 0; list-style: none; color: var(--dim); }
.pair .sides { display: grid; grid-template-columns: 1fr 1fr; }
.pair figure { margin: 0; min-width: 0; height: max(20rem, 100vh - 19rem); display: flex; flex-direction: column; }
.pair figure + figure { border-left: 1px solid var(--line); }
.pair figcaption { padding: 0.2rem 0.8rem; font-size: 0.8rem; color: var(--dim); }
.pair .window { display: block; width: 100%; flex: 1; min-height: 0; touch-action: none; cursor: grab; user-select: none; -webkit-user-select: none; }
.pair .sides[aria-busy='true'] .window { opacity: 0.5; }
.mark.added { --sign: light-dark(#116329, #7ee787); }
.mark.removed { --sign: var(--bad); }
.mark.changed { --sign: light-dark(#8a5a00, #f0c060); }
.mark rect { fill: none; stroke: var(--sign); stroke-width: 2.5px; rx: 8px; }
.mark.removed rect { stroke-dasharray: 7 4; }
.mark rect.badge { fill: var(--sign); stroke: none; stroke-dasharray: none; rx: 8px; }
.mark text { font: 700 12px var(--mono); fill: var(--panel); }
@container (max-width: 48rem) {
  .pair .sides { grid-template-columns: 1fr; }
  .pair figure { height: 42vh; min-height: 15rem; }
  .pair figure + figure { border-left: 0; border-top: 1px solid var(--line); }
}
`;

/** The name of the function in the other model: it may have another number at its end.
 * @param {string} name @param {any[]} functions @param {Kit} kit */
function counterpart(name, functions, { functionName }) {
  if (functions.some((one) => one.name === name)) return name;
  return functions.find((one) => functionName(one.name) === functionName(name))?.name ?? name;
}

export class Pair {
  /** the open model of the other side, and what it was opened from */
  #other = { key: '', session: /** @type {Promise<Session> | undefined} */ (undefined) };
  #zooms;
  /** the layouts that are seen, and the selection */
  #seen = { layouts: /** @type {any[]} */ ([]), node: '' };
  /** @type {Difference[]} */
  #differences = [];
  /** @type {any[]} */
  #graphs = [];
  /** @type {Place} */
  #place = { graph: 0, node: '', open: undefined };

  /** @param {any} host the panel, which has `see` and `difference` @param {Kit} kit */
  constructor(host, kit) {
    this.host = host;
    this.kit = kit;
    this.#zooms = TITLES.map(() => new kit.Zoom());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${kit.look}${kit.behaviour}${pairLook}`);
    host.renderRoot.adoptedStyleSheets = [...host.renderRoot.adoptedStyleSheets, sheet];
    addEventListener('keydown', this.#onLetter);
  }

  close() {
    removeEventListener('keydown', this.#onLetter);
    this.#end();
  }

  #end() {
    void this.#other.session?.then((session) => session.close()).catch(() => {});
    this.#other = { key: '', session: undefined };
  }

  /** @param {{ url?: string, files: File[] }} input @param {AbortSignal} signal */
  #opened({ url, files }, signal) {
    const key = url ?? files.map(({ name, size, lastModified }) => `${name} ${size} ${lastModified}`).join('\n');
    if (this.#other.key !== key) {
      this.#end();
      const [file] = this.kit.modelsAmong(files);
      const session = new this.kit.Session(url ?? /** @type {File} */ (file), { beside: files });
      const opened = session.open(new AbortController().signal).then(() => session);
      this.#other = { key, session: opened };
      opened.catch(() => this.#other.session === opened && this.#end());
    }
    signal.throwIfAborted();
    return /** @type {Promise<Session>} */ (this.#other.session);
  }

  /**
   * Both drawings of a compared graph.
   *
   * @param {{ session: Session, sections: any[], input: { url?: string, files: File[] }, place: Place }} asked
   * @param {AbortSignal} signal
   */
  async read({ session, sections, input, place }, signal) {
    const graphs = graphsIn(sections);
    const section = graphs[place.graph];
    if (!section) return undefined;
    const other = await this.#opened(input, signal);
    const { function: name = '', meta_graph: metaGraph, tag } = section;
    const which = { metaGraph: metaGraph || undefined, tag };
    const functions = name ? (await other.look('places', { ...which, signal })).functions : [];
    const names = [name || WHOLE, name ? counterpart(name, functions, this.kit) : WHOLE];
    const sides = await Promise.all(
      [session, other].map((one, i) => this.#side(one, { ...which, at: names[i] }, place, signal)),
    );
    return { graphs, place, sides };
  }

  /** @param {Session} session @param {any} which @param {Place} place @param {AbortSignal} signal @returns {Promise<Side>} */
  async #side(session, which, { node, open }, signal) {
    const look = (/** @type {string | undefined} */ show) => session.look('graph', { ...which, open, show, signal });
    // What only one of the models has is not shown in the other.
    const drawn = await look(node || undefined).catch((error) => {
      if (error?.code !== 'NOT_FOUND') throw error;
      return look(undefined);
    });
    if (drawn.groups.length > MOST)
      return {
        drawn,
        layout: undefined,
        missing: `${this.kit.counted(drawn.groups.length, 'box', 'boxes')}: too many to draw`,
      };
    if (!drawn.groups.length) return { drawn, layout: undefined, missing: 'This graph has no nodes' };
    return { drawn, layout: await this.kit.laidOut(drawn, signal) };
  }

  /* --- From difference to difference ------------------------------------------------ */

  /** The place of the selected difference in the list, -1 for none. */
  get #at() {
    const { graph, node } = this.#place;
    return this.#differences.findIndex((one) => one.graph === graph && one.name === node);
  }

  /** @param {number} by */
  #step(by) {
    const all = this.#differences;
    const at = this.#at;
    const next = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[(at + by + all.length) % all.length];
    if (next) this.#choose(next.graph, next.name);
  }

  /** @param {number} graph @param {string} node */
  #choose(graph, node) {
    const isSame = graph === this.#place.graph;
    this.host.show(graph, node, isSame ? this.host.view.open : '');
  }

  /** N goes on, with the shift key back. @param {KeyboardEvent} event */
  #onLetter = (event) => {
    const [target] = /** @type {Element[]} */ (event.composedPath());
    if (event.key.toLowerCase() !== 'n' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target?.matches?.('input, select, textarea, [contenteditable]') || !this.#differences.length) return;
    if (target === document.body || event.composedPath().includes(this.host)) this.#step(event.shiftKey ? -1 : 1);
  };

  /* --- What is shown ---------------------------------------------------------------- */

  /** @param {{ graphs: any[], place: Place, sides: Side[] }} shown @param {boolean} isBusy */
  render({ graphs, place, sides }, isBusy) {
    const { html } = this.kit;
    if (this.#graphs !== graphs) this.#differences = differencesIn(graphs);
    Object.assign(this, { isBusy });
    this.#graphs = graphs;
    this.#place = place;
    return html`<section class="pair" aria-label="Both graphs">
      ${this.#steps()} ${this.#told()}
      <div class="sides" aria-busy=${isBusy}>${sides.map((side, i) => this.#figure(side, i))}</div>
    </section>`;
  }

  #steps() {
    const { html, nothing, plain, functionName, short } = this.kit;
    const at = this.#at;
    const all = this.#differences.length;
    const title = (/** @type {any} */ { function: name, tag }) =>
      name ? short(functionName(name), 40) : tag ? plain(tag) : 'The graph';
    return html`<div class="steps">
      <button title="The difference before (Shift+N)" @click=${() => this.#step(-1)}>Previous</button>
      <button title="The next difference (N)" @click=${() => this.#step(1)}>Next difference</button>
      <span role="status">${at < 0 ? this.kit.counted(all, 'difference') : `${at + 1} of ${all}`}</span>
      ${
        this.#graphs.length > 1
          ? html`<select
              aria-label="Compared graph"
              @change=${(/** @type {any} */ { target }) => this.#choose(Number(target.value), '')}
            >
              ${this.#graphs.map((one, i) => html`<option value=${i} ?selected=${i === this.#place.graph}>${title(one)}</option>`)}
            </select>`
          : nothing
      }
      <ul class="legend" aria-label="Signs">
        ${Object.entries(SIGNS).map(
          ([change, sign]) =>
            html`<li><span class="sign ${change}">${sign}</span>${MEANINGS[/** @type {Change} */ (change)]}</li>`,
        )}
      </ul>
      <button class="close" @click=${() => this.host.show()}>Close</button>
    </div>`;
  }

  /** The selected difference, as in the list. */
  #told() {
    const { html, nothing } = this.kit;
    const one = this.#differences[this.#at];
    if (!one) return nothing;
    return html`<div class="told">
      ${this.host.difference(one, this.#graphs[this.#place.graph])}
      <button class="link" @click=${() => this.host.find(one.name)}>In the list</button>
    </div>`;
  }

  /** @param {Side} side @param {number} i */
  #figure({ drawn, layout, missing }, i) {
    const { html, guard } = this.kit;
    const { graph, node } = this.#place;
    return html`<figure>
      <figcaption>${TITLES[i]}${missing ? `: ${missing}` : ''}</figcaption>
      ${guard([layout, drawn, node, graph], () => (layout ? this.#picture(drawn, layout, i) : ''))}
    </figure>`;
  }

  /** @param {any} drawn @param {any} layout @param {number} i */
  #picture(drawn, layout, i) {
    const { html, arrows, drawing } = this.kit;
    const { graph, node } = this.#place;
    const zoom = this.#zooms[i];
    const ofGraph = this.#differences.filter((one) => one.graph === graph);
    const counts = counter(ofGraph, /** @type {Change} */ (LACKED[i]));
    const state = {
      chosen: node ? (drawn.shown ?? '') : '',
      colourOf: () => undefined,
      markOf: (/** @type {Group} */ group) => this.#mark(group, counts(group)),
    };
    const open = (/** @type {string[]} */ scopes) => this.host.see({ open: this.kit.toText(scopes) });
    const actions = {
      choose: (/** @type {Group} */ { id, is }) =>
        is === 'scope' ? open([...drawn.open, id]) : this.#choose(graph, id),
      fold: (/** @type {string} */ scope) =>
        open(drawn.open.filter((/** @type {string} */ one) => one !== scope && !one.startsWith(`${scope}/`))),
      enter: (/** @type {string} */ name) => {
        const called = this.#graphs.findIndex((one) => one.function === name);
        if (called >= 0) this.#choose(called, '');
      },
    };
    return html`<svg
      class="window"
      role="group"
      aria-label=${`${TITLES[i]}: arrow keys go from box to box, N to the next difference, plus and minus zoom`}
      @keydown=${(/** @type {KeyboardEvent} */ event) => zoom?.key(event) || arrows(event)}
    >
      <g class="moved">${drawing({ ...drawn, layout }, state, /** @type {any} */ (actions))}</g>
    </svg>`;
  }

  /** The sign of a box. @param {Group} group @param {import('./compare-marks.js').Counts | undefined} counts */
  #mark({ is }, counts) {
    if (!counts) return undefined;
    const { svg } = this.kit;
    const text = signsOf(counts, is === 'scope');
    const width = 12 + 7.5 * text.length;
    return {
      said: spokenOf(counts, is === 'scope'),
      drawn: (/** @type {number} */ right, /** @type {number} */ height) =>
        svg`<g class="mark ${colourOf(counts)}" aria-hidden="true">
          <rect x="-2" y="-2" width=${right + 4} height=${height + 4}></rect>
          <rect class="badge" x=${right - width + 8} y="-9" width=${width} height="17"></rect>
          <text x=${right - width / 2 + 8} y="4">${text}</text>
        </g>`,
    };
  }

  /** Gives the drawings to their windows, which show the selection. @param {{ place: Place, sides: Side[] }} shown */
  updated({ place, sides }) {
    const figures = [...this.host.renderRoot.querySelectorAll('.pair figure')];
    const layouts = sides.map(({ layout }) => layout);
    sides.forEach(({ drawn, layout }, i) => {
      const [svg, zoom] = [figures[i]?.querySelector('svg.window'), this.#zooms[i]];
      if (!svg || !layout || !zoom) return;
      zoom.attach(svg);
      Object.assign(zoom, { width: layout.width, height: layout.height });
      const isNew = this.#seen.layouts[i] !== layout;
      if (isNew) zoom.begin(this.kit.beginning(drawn, layout));
      const area = place.node && drawn.shown && this.kit.areaOf(drawn, layout, drawn.shown);
      if (area && (isNew || place.node !== this.#seen.node)) zoom.see(area, true);
    });
    this.#seen = { layouts, node: place.node };
  }
}
