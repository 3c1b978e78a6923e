/** The purpose of operations, judged by their names. */

/** Kinds of operations, which distinguish boxes at a glance. @type {[kind: string, ops: RegExp][]} */
const KINDS = [
  ['form', /quantizelinear/i], // no weights of its own
  ['call', /call|^while|^statelesswhile|^if$|^statelessif|^loop$|^scan$|^case|^map_?fn|symbolicgradient/i],
  ['norm', /norm|moments/i],
  ['weigh', /conv|gemm|matmul|mmul|einsum|dense|linear|gather|embed|lstm|gru|rnn|attention|xw_plus_b/i],
  ['act', /^clip$|relu|elu$|sigmoid|tanh|softmax|softplus|softsign|swish|gelu|^erf|mish/i],
  ['pool', /pool|^mean$|^max$|^min$|^sum$|^all$|^any$|argmax|argmin|topk|reduce/i],
  [
    'form',
    /reshape|transpose|concat|split|slice|pack|squeeze|expanddims|^pad|tile|flatten|stack|permute|^shape|^identity|^cast/i,
  ],
];

/** @param {string} op one, or several with commas, the most informative first */
export const kindOf = (op) => KINDS.find(([, ops]) => ops.test(op.split(', ')[0] ?? ''))?.[0] ?? 'other';

/** The most informative kinds about a scope come first. */
const TELLING = ['call', 'weigh', 'norm', 'act', 'pool', 'other', 'form'];

/** @param {string} a @param {string} b */
const byKind = (a, b) => TELLING.indexOf(kindOf(a)) - TELLING.indexOf(kindOf(b));

/** Operations that are not informative about a scope. */
const MINOR =
  /^(Identity|Const|Constant|Shape|StridedSlice|Pack|Cast|ReadVariableOp|NoOp|Reshape|ExpandDims|Squeeze|ConcatV2|Prod|Transpose|Mul|Add|AddV2|Sub|Neg|Rsqrt|Fill|Range|Less|SelectV2|StopGradient|.*Placeholder.*|Assert|.*Assign.*)$/;

/** Summarizes a scope by its operations. @param {string[]} all */
export function summary(all) {
  const ops = [...new Set(all)];
  const telling = ops.filter((op) => !MINOR.test(op));
  return (telling.length ? telling : ops.filter((op) => op !== 'Identity')).sort(byKind).slice(0, 3);
}

/** Without version, numbers and what separates them. @param {string} name */
const stem = (name) => name.toLowerCase().replace(/v\d+$|[\W\d_]/g, '');

/** Whether a name says the same as the operation. @param {string} name @param {string} op */
export const isAlike = (name, op) => stem(name) === stem(op);

/** Whether an exporter made up a node's name: node_linear_3, p2o.Conv.0, #3. @param {string} name @param {string} op */
export const isAutomatic = (name, op) => /^(node_|#\d+$)/.test(name) || isAlike(name.replace(/^p2o\./, ''), op);
