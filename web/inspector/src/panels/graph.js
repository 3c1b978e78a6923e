/** The graph: the computation of the model, or a function, folded by name scope. */
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { arrows } from '../arrows.js';
import { counted, plain } from '../format.js';
import { isExported } from '../model/kinds.js';
import { offer, Panel, priceOf } from '../panel.js';
import { download, fileName } from '../saving.js';
import './border.js';
import { colourings, coloursOf } from './graph-colours.js';
import './graph-details.js';
import { drawing, functionName, short } from './graph-drawing.js';
import { pngOf, svgOf } from './graph-export.js';
import './graph-find.js';
import { extrasOf, following, lead } from './graph-follow.js';
import { anchor, areaOf, beginning, keyOf, laidOut } from './graph-layout.js';
import { drawingLook, panelLook } from './graph-look.js';
import { map, mapLook, showPlace } from './graph-map.js';
import { fromText, Places, toText } from './graph-places.js';
import { markedBy } from './graph-marks.js';
import { Zoom } from './graph-zoom.js';
import { nameOf } from './headline.js';

/** @import { Group } from '../model/gather.js' */

/** The largest number of boxes that are drawn. */
const MOST = 600;
/** The main graph. */
const WHOLE = '/';

class Graph extends Panel {
  static properties = {
    ...Panel.properties,
    marks: { attribute: false },
    group: { state: true },
    problem: { state: true },
  };
  static styles = [...Panel.styles, panelLook, mapLook, drawingLook];

  constructor() {
    super();
    /** a box that stands for several nodes, if that is chosen */
    this.group = '';
    this.problem = '';
    /** @type {import('./graph-marks.js').Marks | undefined} what differs from the graph beside this one */
    this.marks = undefined;
  }

  #zoom = new Zoom();
  #known = new Places();
  /** the last shown graph, and the selection in it */
  #seen = { layout: /** @type {any} */ (undefined), at: '', chosen: '' };

  /** the scope that was just opened or folded, and whether the keyboard was there */
  #turned = { scope: '', isFocused: false };

  /** @param {string} scope */
  #turn(scope) {
    this.#turned = {
      scope,
      isFocused: /** @type {ShadowRoot} */ (this.renderRoot).activeElement?.matches('svg *') ?? false,
    };
  }

  /** The keyboard stays with a scope that is opened or folded. @param {SVGSVGElement} svg */
  #refocus(svg) {
    const { scope, isFocused } = this.#turned;
    this.#turned = { scope: '', isFocused: false };
    const one = isFocused && svg.querySelector(`[data-id="${CSS.escape(scope)}"]`);
    if (!one) return;
    for (const other of svg.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    one.setAttribute('tabindex', '0');
    /** @type {SVGElement} */ (one).focus();
  }

  /** Which graph: links to a node without a function mean the main graph. */
  get #at() {
    return this.at || (this.node ? WHOLE : '');
  }

  #graph = this.asking(
    ([session, at, open, show], { signal }) =>
      session.look('graph', { at, open: fromText(open), ...extrasOf(this.view), show: show || undefined, signal }),
    () => [this.#at, this.view.open, this.node, this.view.control, this.view.all],
  );
  /** The boxes that are followed from the selected node. */
  #follow = this.asking(
    ([session, drawn, node, view], { signal }) =>
      drawn && following(session, { at: drawn.at, node, open: drawn.open, view }, signal),
    () => [this.#graph.value, this.node, this.view],
  );
  /** The parts that a brief drawing lacks; the drawing is then replaced. */
  #rest = this.asking(
    ([session, drawn], { signal }) =>
      drawn?.unread ? session.ask('constants', { count: 1, signal, unasked: true }) : Promise.resolve(),
    () => [this.#graph.value],
  );
  #places = this.asking(([session], { signal }) => session.look('places', { signal }));
  #layout = this.asking(
    async ([, drawn], { signal }) => {
      if (!drawn || drawn.groups.length > MOST) return undefined;
      const last = this.#layout.value;
      // If only the selection changes, the drawing stays the same.
      if (last && last.key === keyOf(drawn)) return { ...last, drawn };
      return { key: keyOf(drawn), drawn, layout: await laidOut(drawn, signal) };
    },
    () => [this.#graph.value],
  );

  /** The current drawing, while another one is being made. @returns {any} */
  get #drawn() {
    return this.#layout.value;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at') || changed.has('node') || changed.has('view')) this.group = '';
    this.#known.enter(this.session, [this.at, this.node, this.view]);
  }

  /** Gives the drawing to the window, which shows the selection. */
  updated() {
    const svg = /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg.window'));
    const shown = this.#drawn;
    if (!svg || !shown?.layout) return;
    const { layout, drawn } = shown;
    const [seen, zoom] = [this.#seen, this.#zoom];
    zoom.attach(svg);
    zoom.moved = () => {
      showPlace(this.renderRoot, zoom);
      this.#known.keep(this.session, zoom);
    };
    Object.assign(zoom, { width: layout.width, height: layout.height });
    const chosen = this.#chosen(drawn);
    const isNew = seen.layout !== layout;
    this.#seen = { layout, at: drawn.at, chosen };
    const isKept = isNew && seen.at === drawn.at && (this.#turned.scope || zoom.touched);
    const before = isKept ? anchor(seen.layout, layout, this.#turned.scope, zoom.middle) : undefined;
    if (before) zoom.pan(before.x * zoom.scale, before.y * zoom.scale);
    else if (isNew) zoom.begin(beginning(drawn, layout));
    if (chosen && (isNew || chosen !== seen.chosen)) {
      const place = areaOf(drawn, layout, chosen);
      if (place) zoom.see(place, true);
    }
    if (drawn === this.#graph.value && this.#graph.status === 2 && this.#layout.status === 2) this.#known.restore(zoom);
    if (isNew) this.#refocus(svg);
  }

  /** The box of the selection. @param {any} drawn */
  #chosen(drawn) {
    return this.group || (this.node ? (drawn?.shown ?? '') : '');
  }

  render() {
    return html`<div class="controls">${this.#bar()}</div>
      ${this.#graph.value || this.#graph.status === 3 ? this.answer(this.#current, (graph) => this.#body(graph)) : this.answer(this.#graph, () => nothing)}`;
  }

  /** The last answer stays until the next one arrives. */
  get #current() {
    return this.#graph.status === 3
      ? this.#graph
      : /** @type {any} */ ({ render: (/** @type {any} */ states) => states.complete(this.#graph.value) });
  }

  /** @param {any} graph */
  #body(graph) {
    if (graph.groups.length > MOST)
      return html`<p class="empty">
        ${counted(graph.groups.length, 'box', 'boxes')}: too many to draw.
        <button @click=${() => this.#look([])}>Fold all</button>
      </p>`;
    if (!graph.groups.length) return html`<p class="empty">This graph has no nodes.</p>`;
    return this.#drawn?.layout ? this.drawing(this.#drawn) : this.answer(this.#layout, () => nothing);
  }

  #bar() {
    const graph = this.#graph.value;
    const { control, all } = extrasOf(this.view);
    const isOnnx = isExported(this.session.about.kind);
    if (this.marks) return html`<div class="bar">${this.#picker()} ${this.#scopes(graph)} ${this.#zooms()}</div>`;
    return html`<div class="bar">
        ${this.#picker()}
        <cpb-graph-find
          .session=${this.session}
          .at=${graph?.at ?? this.#at}
          .node=${this.node}
          .view=${this.#view}
        ></cpb-graph-find>
        ${this.#zooms(
          html`<button @click=${() => this.#save('svg')}>SVG</button>
            <button @click=${() => this.#save('png')}>PNG</button>`,
        )}
      </div>
      <div class="bar second">
        ${graph ? html`<span class="dim">${counted(graph.total, 'node')}</span>` : nothing} ${this.#owner()}
        ${isOnnx ? nothing : this.#switch('control', 'Control edges', control)}
        ${this.#switch('all', isOnnx ? 'Weights as boxes' : 'Variables as boxes', all)} ${this.#colourPicker()}
        ${this.#scopes(graph)} ${this.#price()}
        ${this.problem ? html`<span role="alert">${plain(this.problem)}</span>` : nothing}
      </div>`;
  }

  /** @param {unknown} [more] buttons */
  #zooms(more = nothing) {
    return html`<span class="tools">
      <button aria-label="Smaller" title="Smaller (−)" @click=${() => this.#zoom.by(0.8)}>−</button>
      <button aria-label="Larger" title="Larger (+)" @click=${() => this.#zoom.by(1.25)}>+</button>
      <button title="All of it (0)" @click=${() => this.#zoom.fit()}>Fit</button>
      ${more}
    </span>`;
  }

  /** @param {any} graph */
  #scopes(graph) {
    return html`${graph?.groups.some((/** @type {Group} */ { is }) => is === 'scope') ? html`<button class="link" @click=${() => this.#openAll()}>Open all</button>` : nothing}
    ${graph?.open.length ? html`<button class="link" @click=${() => this.#look([])}>Fold all</button>` : nothing}`;
  }

  #price() {
    const price = priceOf(this.#rest);
    return price ? offer(this.session, 'The weights’ shapes are not read yet', price) : nothing;
  }

  /** The node around a graph within a node. */
  #owner() {
    const at = this.#graph.value?.at ?? this.#at;
    const { owner } = this.#places.value?.functions.find((/** @type {any} */ { name }) => name === at) ?? {};
    return owner
      ? html`<span>in the node ${this.link('graph', owner.graph || WHOLE, owner.node, owner.node)}</span>`
      : nothing;
  }

  #colourPicker() {
    const { colour = 'kind' } = this.view;
    const change = (/** @type {any} */ { target: { value } }) => this.see({ colour: value === 'kind' ? '' : value });
    return html`<select class="colours" aria-label="Colour" @change=${change}>
      ${Object.entries(colourings).map(
        ([name, [title]]) => html`<option value=${name} ?selected=${name === colour}>Colour: ${title}</option>`,
      )}
    </select>`;
  }

  /** Opens the scopes that there is room for. */
  async #openAll() {
    try {
      this.#look(await this.session.look('openAll', { at: this.#graph.value?.at ?? this.#at }));
    } catch (error) {
      this.problem = String(/** @type {any} */ (error)?.message ?? error);
    }
  }

  /** @param {'control' | 'all'} name @param {string} title @param {boolean} on */
  #switch(name, title, on) {
    const change = (/** @type {Event} */ event) =>
      this.see({ [name]: /** @type {HTMLInputElement} */ (event.target).checked ? '1' : undefined });
    return html`<label class="switch"><input type="checkbox" .checked=${on} @change=${change} />${title}</label>`;
  }

  #picker() {
    const at = this.#graph.value?.at ?? this.#at;
    const { signatures = [], functions = [], total = 0 } = this.#places.value ?? {};
    const known = [...signatures, ...functions].some((one) => (one.at ?? one.name) === at) || at === WHOLE || !at;
    const option = (/** @type {string} */ value, /** @type {string} */ text) =>
      html`<option value=${value} ?selected=${value === at}>${text}</option>`;
    const kinds = isExported(this.session.about.kind) ? 'Functions and subgraphs' : 'Functions';
    const largest = total > functions.length ? `, the ${functions.length} largest of ${total}` : '';
    const isSignature = signatures.some((/** @type {any} */ one) => one.at === at);
    return html`<select
      class="places"
      aria-label="Graph of"
      @change=${(/** @type {any} */ event) => this.go('graph', event.target.value)}
    >
      ${known ? nothing : option(at, short(functionName(at), 60))}
      ${optionsOf('Signatures', signatures, (one) => option(one.at, short(one.key, 60)))}
      ${option(WHOLE, signatures.length ? 'The whole main graph' : 'The graph')}
      ${optionsOf(kinds + largest, functions, ({ name }) => (isSignature && name === at ? nothing : option(name, short(name, 60))))}
    </select>`;
  }

  /** How it is seen now, with its scopes. @returns {import('../inspector.js').View} */
  get #view() {
    const open = this.#graph.value?.open;
    return open ? { ...this.view, open: toText(open) } : this.view;
  }

  /** With these scopes open. @param {string[]} open */
  #look(open) {
    const { at } = this.#graph.value;
    this.go('graph', at, '', { ...this.view, open: toText(open) });
  }

  /** The details come later, and the drawing stays. @param {any} shown */
  drawing({ drawn, layout }) {
    const chosen = this.#chosen(drawn);
    const isTold = !this.marks && (this.group || this.node);
    const trail = this.view.follow && this.node ? this.#follow.value : undefined;
    const marked = this.marks && markedBy(this.marks, drawn.at);
    const colours = marked ?? coloursOf(this.view.colour, drawn.groups);
    return html`<div class="parts">
      <div class="view box" aria-busy=${this.#graph.status === 1 || this.#layout.status === 1}>
        ${guard([layout, drawn, chosen, trail, this.view.colour, this.marks], () => this.picture(drawn, layout, { chosen, trail, colourOf: colours.of, signOf: marked?.sign }))}
        ${legend(colours.legend, !this.view.colour)} ${guard([layout], () => map(layout, this.#zoom))}
      </div>
      ${
        isTold
          ? html`<cpb-border></cpb-border>
              <section class="side box" aria-label=${this.group ? 'Nodes' : 'Node'}>
                <button class="close" aria-label="Close" @click=${() => this.#close()}>×</button>
                <cpb-graph-details
                  .session=${this.session}
                  .at=${drawn.at}
                  .node=${this.node}
                  .group=${this.group}
                  .open=${drawn.open}
                  .view=${this.#view}
                ></cpb-graph-details>
              </section>`
          : nothing
      }
    </div>`;
  }

  /** @param {any} drawn @param {any} layout @param {Parameters<typeof drawing>[1]} state */
  picture(drawn, layout, state) {
    const actions = {
      choose: (/** @type {Group} */ group) => this.#choose(group),
      fold: (/** @type {string} */ scope) => {
        this.#turn(scope);
        this.#look(drawn.open.filter((/** @type {string} */ one) => one !== scope && !one.startsWith(`${scope}/`)));
      },
      enter: (/** @type {string} */ name) => this.go('graph', name),
    };
    return html`<svg
      class="window"
      role="group"
      aria-label="Graph: arrow keys go from box to box, plus and minus zoom, 0 shows all of it"
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#zoom.key(event) || arrows(event, beside(drawn.edges))}
    >
      <g class="moved">${drawing({ ...drawn, layout }, state, actions)}</g>
    </svg>`;
  }

  /** @param {Group} group */
  #choose({ id, is }) {
    const { at, open } = this.#graph.value;
    if (is === 'scope') {
      this.#turn(id);
      this.#look([...open, id]);
    } else if (is === 'many' || is === 'rest') this.group = id;
    else lead({ at, node: this.node, view: this.#view, go: this.go.bind(this) }, id);
  }

  #close() {
    if (this.group) this.group = '';
    else this.go('graph', this.#graph.value.at, '', this.#view);
  }

  /** The model's name, and the graph's if it is not the model's. */
  get #title() {
    const name = nameOf(this.session.about.path);
    return this.#own ? `${name} · ${this.#own}` : name;
  }

  /** The name of the drawn function; '' for the main graph. */
  get #own() {
    const { at } = this.#graph.value;
    return at === WHOLE ? '' : functionName(at);
  }

  /** @param {'svg' | 'png'} kind */
  async #save(kind) {
    const svg = /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg.window'));
    if (!svg || !this.#drawn?.layout) return;
    this.problem = '';
    try {
      const file = svgOf(svg, this.#drawn.layout, this.#title);
      const blob = kind === 'svg' ? new Blob([file.text], { type: 'image/svg+xml' }) : await pngOf(file);
      download(blob, fileName(this.#own || 'graph', kind));
    } catch (error) {
      this.problem = String(/** @type {any} */ (error)?.message ?? error);
    }
  }
}

/** Up and down lead along edges. @param {{ from: string, to: string }[]} edges */
const beside = (edges) => (/** @type {Element} */ box, /** @type {string} */ key) => {
  const id = box.getAttribute('data-id');
  if (key === 'ArrowDown') return edges.flatMap(({ from, to }) => (from === id ? [to] : []));
  return key === 'ArrowUp' ? edges.flatMap(({ from, to }) => (to === id ? [from] : [])) : [];
};

/** Some choices under a title, if there are any. @param {string} label @param {any[]} list @param {(one: any) => unknown} show */
const optionsOf = (label, list, show) =>
  list.length ? html`<optgroup label=${label}>${list.map(show)}</optgroup>` : nothing;

/** @param {[colour: string, meaning: string][]} colours @param {boolean} isUsual not chosen by the reader */
const legend = (colours, isUsual) =>
  colours.length
    ? html`<ul class="legend ${isUsual ? 'usual' : ''}" aria-label="Colours">
        ${colours.map(
          ([colour, meaning]) =>
            html`<li>
              <svg viewBox="0 0 8 8" aria-hidden="true"><rect fill=${colour} width="8" height="8" rx="2" /></svg>
              ${meaning}
            </li>`,
        )}
      </ul>`
    : nothing;

customElements.define('cpb-graph', Graph);
