/** A tag of a SameDiff file: its training settings, its updater's state, and a summary of its graph. */
import { html, nothing } from 'lit';
import { bytesOf, MOST } from '../answers.js';
import { brief, count, counted, plain, size } from '../format.js';
import { choices, Panel } from '../panel.js';
import { column, table } from './listing.js';
import { pairs, resting } from './overview-facts.js';
import '../tensor.js';

class Training extends Panel {
  static styles = [...Panel.styles, resting];
  #overview = this.asking(([session], { signal }) => session.ask('overview', { signal }));
  #tag = this.asking(
    ([session, at], { signal }) => session.ask('tag', { ...(at ? { name: at } : {}), count: MOST, signal }),
    () => [this.at || this.view.tag],
  );

  render() {
    const tags = (this.#overview.value?.tags.items ?? []).map((/** @type {any} */ { tag }) => tag);
    return html`${choices('Tags', tags, this.#tag.value?.tag, (tag) => this.go('training', tag, '', { tag }))}
    ${this.answer(this.#tag, (tag) => html`${this.about(tag)}${this.config(tag)}${this.states(tag)}`)}`;
  }

  /** What the tag has. @param {any} tag */
  about({ tag, placeholders, loss_variables: losses, nodes, variables, constants, configuration }) {
    const view = /** @type {Record<string, string>} */ (tag ? { tag } : {});
    const names = (/** @type {string[]} */ list) => list.map((name) => html`<code class="chip">${plain(name)}</code>`);
    return html`${pairs([
      ['Inputs', placeholders?.length ? names(placeholders) : undefined],
      ['Loss', losses?.length ? names(losses) : undefined],
      ['Graph', this.link('graph', '', 'see it', '', view)],
      ['Operations', this.link('operations', '', count(nodes.total), '', view)],
      ['Variables of the graph', count(variables.total)],
      ['Parameters', this.link('variables', '', counted(constants.total, 'array'), '', view)],
      [
        'Runs',
        configuration &&
          html`<span class="dim">${plain(configuration.execution_mode)}, ${plain(configuration.output_mode)}</span>`,
      ],
    ])}`;
  }

  /** @param {any} tag */
  config({ training_config: config }) {
    if (!config)
      return html`<h2>Training</h2>
        <p class="empty">This graph has no training configuration.</p>`;
    const { updater, ...others } = config;
    return html`<h2>Training</h2>
      ${pairs([
        ['Updater', short(updater?.['@class'])],
        ...Object.entries(updater ?? {}).flatMap(([key, value]) => (key === '@class' ? [] : [pair(key, value)])),
        ...Object.entries(others).map(([key, value]) => pair(key, value)),
      ])}`;
  }

  /** @param {any} tag */
  states({ tag, updater_state: state, constants, variables }) {
    if (!state?.total)
      return html`<h2>Updater state</h2>
        <p class="empty">No updater state is stored.</p>`;
    const [name, number] = split(this.node);
    const shaped = [...constants.items, ...variables.items];
    /** A state is as large as its parameter. @param {any} one @param {string} of */
    const arrayOf = ({ array }, of) => {
      const { dtype, shape } =
        array ?? shaped.find((/** @type {any} */ p) => (p.node ?? p.name) === of && p.shape) ?? {};
      return { dtype, shape: shape ?? null };
    };
    const chosen = state.items.find((/** @type {any} */ one) => one.parameter === name)?.states[number - 1];
    return html`<h2>Updater state of ${counted(state.total, 'parameter')}</h2>
      ${table(
        "the updater's state",
        [
          column('parameter', 'Parameter', (one) => html`<code>${plain(one.parameter)}</code>`),
          column('states', 'States', ({ parameter, states }) =>
            states.map((/** @type {any} */ one, /** @type {number} */ i) => {
              const array = arrayOf(one, parameter);
              const text = one.key ?? one.name ?? `state ${i + 1}`;
              return html`<div>
                ${this.link('training', this.at, text, `${i + 1} ${parameter}`)}
                <span class="type">${array.dtype ? brief(array) : ''}</span>
                <span class="dim small">${size(bytesOf(array) || 0)}</span>
              </div>`;
            }),
          ),
        ],
        state.items,
      )}
      ${chosen ? html`<cpb-tensor .session=${this.session} .tensor=${{ name, tag: tag ?? undefined, state: number, ...arrayOf(chosen, name), size: bytesOf(arrayOf(chosen, name)) || 0 }}></cpb-tensor>` : nothing}`;
  }
}

/**
 * The state and the parameter that a link refers to: the state's number, from 1, and the name.
 *
 * @param {string} node @returns {[string, number]}
 */
const split = (node) => [node.slice(node.indexOf(' ') + 1), Number(node.split(' ')[0])];

/** A class without its package. @param {string | undefined} name */
const short = (name) => plain(name?.split('.').pop() ?? 'none');

/** @param {string} key @param {any} value @returns {[string, unknown]} */
function pair(key, value) {
  const words = plain(key.replace(/([a-z])([A-Z])/g, '$1 $2')).toLowerCase();
  if (value === null || (typeof value === 'object' && !Object.keys(value).length)) return [words, undefined];
  if (typeof value === 'number') return [words, String(value)];
  return [words, html`<code>${plain(typeof value === 'string' ? value : JSON.stringify(value))}</code>`];
}

customElements.define('cpb-training', Training);
