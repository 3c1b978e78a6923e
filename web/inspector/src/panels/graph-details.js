/** The selection of the graph, next to the drawing. */
import { css, html, nothing } from 'lit';
import { times, typed } from '../model/tensors.js';
import { attributeText, count, counted, plain } from '../format.js';
import { isExported } from '../model/kinds.js';
import { broken, pager, Panel, titled } from '../panel.js';
import { extrasOf, follow, following, followLook } from './graph-follow.js';
import '../tensor.js';

const MEMBERS = 50;
const USERS = 25;

/** How the consumer takes the value, if that is not obvious. @param {any} consumer */
function taken({ is, inputs, control }) {
  const outputs = [
    ...new Set(
      inputs.flatMap((/** @type {any} */ { index, output }) => (index ? [`${output ?? 'output'} ${index}`] : [])),
    ),
  ];
  return plain(
    [is === 'return' ? 'returned' : '', ...outputs, control && is !== 'return' ? 'control' : '']
      .filter(Boolean)
      .join(', '),
  );
}

/** @param {string} word */
const capital = (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** An output: a shape, or for ONNX a value with its type. @param {any} one */
const outputWords = (one) =>
  one?.name === undefined
    ? html`<span class="type">${one?.dtype ? typed(one) : times(one?.shape) || 'of unknown type'}</span>`
    : html`<code>${broken(one.name)}</code>
        ${one.dtype || one.type ? html`<span class="type">${typed(one)}</span>` : nothing}`;

/** For ONNX: the version of the operators that the model imports, and the version in which this operator last changed.
 * @param {{ domain?: string, version?: number | null, since?: number }} operation */
const versionOf = ({ domain, version, since }) =>
  version === undefined
    ? undefined
    : [domain || 'ai.onnx', version, since && since !== version ? `(since ${since})` : undefined]
        .filter((one) => one !== undefined && one !== null)
        .join(' ');

/** @param {string} op @param {string | undefined} whose @param {string | undefined} summary */
const operationOf = (op, whose, summary) =>
  html`<p class="dim">${plain(op)}${whose ? ` of ${plain(whose)}` : ''}</p>
    ${summary ? html`<p>${plain(summary)}</p>` : nothing}`;

class GraphDetails extends Panel {
  static properties = {
    ...Panel.properties,
    group: {},
    open: { attribute: false },
    first: { state: true },
    firstUser: { state: true },
  };
  static styles = [
    ...Panel.styles,
    followLook,
    css`
      :host {
        overflow-wrap: break-word;
      }
      h3:first-child {
        margin-top: 0;
      }
      h3 code {
        font-size: 0.95em;
      }
      ul {
        list-style: none;
        padding: 0;
      }
      li {
        margin: 0.25rem 0;
      }
      .link,
      code {
        overflow-wrap: break-word;
      }
      dl {
        margin: 0.3rem 0;
        font-size: 0.9rem;
      }
      dt {
        overflow-wrap: normal;
        word-break: normal;
      }
      dd {
        margin: 0 0 0.35rem;
      }
      .type,
      .unbroken {
        white-space: nowrap;
      }
    `,
  ];

  constructor() {
    super();
    /** a box that stands for several nodes */
    this.group = '';
    /** scopes @type {string[] | undefined} */
    this.open = undefined;
    this.first = this.firstUser = 0;
  }

  /** A link to this graph with the same open scopes. @param {string} node @param {unknown} [text] */
  #to(node, text = node) {
    const lead = () => this.go('graph', this.at, node, this.view);
    return html`<button class="link" @click=${lead}>${broken(String(text))}</button>`;
  }

  #detail = this.asking(
    ([session, at, node], { signal }) => (node ? session.look('node', { at, node, signal }) : undefined),
    () => [this.at, this.node],
  );
  #found = this.asking(
    ([session, at, node, open, view], { signal }) => following(session, { at, node, open, view }, signal),
    () => [this.at, this.node, this.open, this.view],
  );
  #users = this.asking(
    ([session, at, node, first], { signal }) =>
      node && !node.startsWith('return:')
        ? session.look('users', { at, node, first, count: USERS, signal })
        : undefined,
    () => [this.at, this.node, this.firstUser],
  );
  #members = this.asking(
    ([session, at, group, open, first], { signal }) =>
      group
        ? session.look('members', { at, group, open, first, count: MEMBERS, ...extrasOf(this.view), signal })
        : undefined,
    () => [this.at, this.group, this.open, this.first, this.view.control, this.view.all],
  );

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at') || changed.has('node')) this.firstUser = 0;
    if (changed.has('group')) this.first = 0;
  }

  render() {
    if (this.group) return this.answer(this.#members, (list) => (list ? this.members(list) : nothing));
    return this.answer(this.#detail, (node) => this.detail(node));
  }

  /** @param {any} one */
  detail(one) {
    if (!one) return html`<p>There is no node with this name.</p>`;
    if (one.is === 'scope') return this.scope(one);
    if (one.is === 'node') return this.#node(one);
    const { label, attached } = one;
    return html`<h3><code>${plain(attached?.name ?? label)}</code></h3>
      <p>
        ${capital(attached?.word ?? attached?.is ?? one.word ?? one.is)}
        <span class="type">${typed(attached ?? one)}</span>
      </p>
      ${one.name !== (attached?.name ?? label) ? html`<p class="dim small">${one.is === 'result' ? 'returned as' : 'taken as'} <code>${plain(one.name)}</code></p>` : nothing}
      ${attached ? this.#object(attached) : follow(this, this.#found)}
      ${attached?.tensor ? html`<cpb-tensor .session=${this.session} .tensor=${{ name: attached.name, tag: this.view.tag, ...attached.tensor }}></cpb-tensor>` : nothing}
      ${one.is === 'result' ? titled('From', [this.#to(one.from)]) : this.answer(this.#users, this.#used)}`;
  }

  /** @param {any} attached */
  #object({ is, name, path, at, tensor }) {
    if (is === 'variable' && this.session.about.kind !== 'graph_def')
      return html`<p>${this.link('variables', at ?? name, tensor ? 'See it among all' : 'See its values')}</p>`;
    return path ? html`<p>${this.link('objects', path, 'See the object')}</p>` : nothing;
  }

  /** @param {any} node */
  #node({ name, op, domain, operation = {}, doc, calls, from, control_inputs, outputs, attributes, tensor, value }) {
    return html`<h3><code>${broken(name)}</code></h3>
      ${operationOf(op, versionOf(operation) ?? domain, operation.summary)}
      ${doc ? html`<p>${plain(doc)}</p>` : nothing} ${follow(this, this.#found)}
      ${calls.map(
        (/** @type {any} */ call) =>
          html`<p>
            ${call.name === 'f' || call.name === 'calls' ? 'Calls' : plain(call.name)}:
            ${this.link('graph', call.function)}
            <span class="small unbroken">(${this.link('functions', call.function, 'details')})</span>
          </p>`,
      )}
      ${
        value?.is === 'variable'
          ? html`<p>Variable <code>${plain(value.name)}</code> <span class="type">${typed(value)}</span></p>
              ${this.#object(value)}`
          : nothing
      }
      ${tensor ? html`<cpb-tensor .session=${this.session} .tensor=${{ name, tag: this.view.tag, ...tensor }}></cpb-tensor>` : nothing}
      ${titled('Inputs', from, this.#input)} ${titled(outputs.length > 1 ? 'Outputs' : 'Output', outputs, outputWords)}
      ${this.answer(this.#users, this.#used)}
      ${
        attributes.length
          ? html`<h3>Attributes</h3>
              <dl>
                ${attributes.map(
                  (/** @type {any} */ { name, value, reference }) =>
                    html`<dt class="dim">${broken(name)}</dt>
                      <dd>
                        ${reference ? html`that of the function's attribute <code>${plain(reference)}</code>` : html`<code>${plain(attributeText(value))}</code>`}
                      </dd>`,
                )}
              </dl>`
          : nothing
      }
      ${titled('Waits for', control_inputs, (one) => this.#to(one))}`;
  }

  #input = (/** @type {any} */ { name, index, role, dtype, shape, type: other, value, attached }) => {
    const type = value ?? (dtype || other ? typed({ dtype, shape, type: other }) : times(shape));
    return html`${role ? html`<span class="dim small">${plain(role)}</span>` : nothing}
      ${this.#to(attached?.id ?? name, attached?.is === 'variable' ? attached.name : name)}
      ${index ? html`<span class="dim small">output ${index}</span>` : nothing}
      <span class="type">${plain(type)}</span>`;
  };

  /** @param {any} scope */
  scope({ name, nodes, ops, variables, more = 0 }) {
    const variable = (/** @type {any} */ one) =>
      html`${this.#to(one.id, one.name)} <span class="type">${typed(one)}</span>`;
    const all = variables.map(variable);
    if (more && all.length) all.push(html`<span class="dim">and ${count(more)} smaller ones</span>`);
    return html`<h3><code>${broken(name)}</code></h3>
      <p class="dim">${counted(nodes, 'node')}${ops.length ? `: ${plain(ops.join(', '))}` : ''}</p>
      ${titled(isExported(this.session.about.kind) ? 'Weights' : 'Variables', all)}`;
  }

  #used = (/** @type {any} */ list) => {
    if (!list?.total)
      return html`<h3>Used by</h3>
        <p class="dim">nothing</p>`;
    const user = (/** @type {any} */ one) => html`${this.#user(one)} <span class="dim small">${taken(one)}</span>`;
    return html`${titled(`Used by${list.total > 1 ? ` · ${count(list.total)}` : ''}`, list.items, user)}
    ${pager(list, (first) => (this.firstUser = first), USERS)}`;
  };

  /** A consumer in a graph within a node is in another drawing. @param {any} one */
  #user({ is, name, function: graph }) {
    const node = is === 'return' ? `return:${name}` : name;
    const isHere = (graph ?? '') === this.at.replace(/^\/$/, '');
    return graph && !isHere ? this.link('graph', graph, name, node) : this.#to(node, name);
  }

  /** @param {any} list */
  members(list) {
    const member = (/** @type {any} */ { name, is, op }) =>
      html`${this.#to(name)} <span class="dim small">${plain(is === 'scope' ? 'scope' : op)}</span>`;
    return html`${titled(`${count(list.total)} in this box`, list.items, member)}
    ${pager(list, (first) => (this.first = first), MEMBERS)}`;
  }
}

customElements.define('cpb-graph-details', GraphDetails);
