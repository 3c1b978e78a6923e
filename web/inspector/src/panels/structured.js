/** A function's arguments and results as the tree that Python has, with the names of the tensors. */
import { css, html, nothing } from 'lit';
import { brief, plain } from '../format.js';

export const structured = css`
  ul.tree ul {
    margin-left: 0.35rem;
    padding-left: 0.8rem;
    border-left: 1px solid var(--line);
  }
  ul.tree li {
    padding: 0.15rem 0;
    overflow-wrap: anywhere;
  }
  ul.tree .type {
    white-space: nowrap;
  }
`;

/** A value other than a tensor or structure, in Python's notation. @param {any} value @returns {string} */
function literal(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value?.dtype && Object.keys(value).length === 1) return plain(value.dtype);
  if (value?.shape !== undefined && Object.keys(value).length === 1) return plain(JSON.stringify(value.shape));
  return plain(JSON.stringify(value)).slice(0, 200);
}

/**
 * The parts of a structure, by name; undefined for other values. @param {any} value
 * @returns {[string, any][] | undefined}
 */
function partsOf(value) {
  const numbered = (/** @type {any[]} */ list) => list.map((one, i) => /** @type {[string, any]} */ ([String(i), one]));
  if (Array.isArray(value)) return numbered(value);
  if (value?.tuple) return numbered(value.tuple);
  if (value?.dict) return Object.entries(value.dict);
  if (value?.named_tuple) return Object.entries(value.fields);
  return undefined;
}

/** The kind of structure. @param {any} value */
const kindOf = (value) =>
  Array.isArray(value) ? 'list' : value.tuple ? 'tuple' : value.dict ? 'dict' : plain(value.named_tuple);

/** The names of the tensors of a value, if the answer has them. @param {any} value */
const tensorsOf = ({ inputs, arguments: names }) => {
  const own = (inputs ?? names ?? []).filter(Boolean);
  return own.length ? html`<span class="dim small">as <code>${plain(own.join(', '))}</code></span>` : nothing;
};

/** A TypeSpec in short: RaggedTensorSpec is ragged. @param {string} type */
export const specName = (type) =>
  plain(type)
    .replace(/(Tensor)?Spec$/, '')
    .toLowerCase();

/** The element type and shape in a TypeSpec's state. @param {any} value */
function composite({ type_spec: type, state }) {
  const parts = state?.tuple ?? [];
  const find = (/** @type {string} */ key) => parts.find((/** @type {any} */ one) => one?.[key] !== undefined)?.[key];
  const dtype = find('dtype');
  return html`${dtype ? html`<span class="type">${brief({ dtype, shape: find('shape') })}</span> ` : nothing}<span
      class="chip"
      >${specName(type)}</span
    >`;
}

/** @param {string} name @param {any} value @returns {unknown} */
function branch(name, value) {
  const spec = value?.tensor_spec;
  if (spec) {
    const own = value.input ?? value.argument ?? spec.name;
    return html`<li>
      <code>${plain(name)}</code> <span class="type">${brief(spec)}</span>
      ${own && own !== name && own !== 'unknown' ? html`<span class="dim small">as <code>${plain(own)}</code></span>` : nothing}
    </li>`;
  }
  const parts = partsOf(value);
  if (!parts)
    return html`<li>
      <code>${plain(name)}</code>
      ${value?.type_spec ? html`${composite(value)} ${tensorsOf(value)}` : html`<span class="dim">=</span> <code>${literal(value)}</code>`}
    </li>`;
  return html`<li>
    <code>${plain(name)}</code> <span class="dim small">${kindOf(value)}${parts.length ? '' : ', empty'}</span>
    ${
      parts.length
        ? html`<ul class="bare">
            ${parts.map(([key, one]) => branch(key, one))}
          </ul>`
        : nothing
    }
  </li>`;
}

/** @param {{ name: string | null, value: any }[]} list */
export const tree = (list) =>
  html`<ul class="bare tree">
    ${list.map(({ name, value }, i) => branch(name ?? String(i), value))}
  </ul>`;
