/** Many layers in a few lines: runs of those whose names begin alike become one, as do blocks that repeat. */

/** Most lines; and the share of all parameters with which a layer gets its own line. */
const [LINES, LARGE] = [12, 0.1];

/**
 * @typedef {object} Run layers that follow one another
 * @property {any} first
 * @property {any} last
 * @property {number} layers how many
 * @property {number} parameters of all of them
 * @property {boolean} complete whether all could be counted
 * @property {boolean} alone whether it is to remain so
 * @property {string} stem the common beginning of their names; of a block it ends with the block's number
 * @property {string} end the same of the last layer
 * @property {number} blocks how many that are alike
 */

/** What a block is called: up to the first number before a separator, or after one at the end. @param {string} name */
const blockOf = (name) => /^.*?(\d(?=[_/.])|[/.]\d+$)/.exec(name)?.[0];

/** What is before the first number or the second word. @param {string} name */
const stemOf = (name) => /^[^_\d]+/.exec(name)?.[0] ?? name;

/** @param {Run} one @param {Run} next @returns {Run} */
const joined = (one, next) => ({
  ...one,
  last: next.last,
  layers: one.layers + next.layers,
  parameters: one.parameters + next.parameters,
  complete: one.complete && next.complete,
  alone: one.alone || next.alone,
  blocks: 1,
});

/** @param {string} stem @returns {[string, number]} */
const numbered = (stem) => [stem.replace(/\d+$/, ''), Number(/\d+$/.exec(stem)?.[0])];

/** Whether a run is the next block of the same kind. @param {Run} one @param {Run} next */
function repeats({ end, layers, parameters, blocks, complete }, next) {
  const [[name, number], [other, following]] = [numbered(end), numbered(next.stem)];
  const isNext = name === other && following === number + 1 && complete === next.complete;
  return isNext && layers === next.layers * blocks && parameters === next.parameters * blocks;
}

/** Joins a run to the one before where it can. @param {Run[]} runs @param {Run} run */
function add(runs, run) {
  const before = runs.at(-1);
  const isBlock = blockOf(run.first.name ?? run.first.path ?? '') !== undefined;
  if (before?.stem === run.stem && (isBlock || !(before.alone || run.alone)))
    runs[runs.length - 1] = joined(before, run);
  else runs.push(run);
}

/** @param {Run[]} runs */
function withRepeats(runs) {
  /** @type {Run[]} */
  const found = [];
  for (const run of runs) {
    const before = found.at(-1);
    if (before && repeats(before, run))
      found[found.length - 1] = { ...joined(before, run), end: run.end, blocks: before.blocks + 1 };
    else found.push(run);
  }
  return found;
}

/** The two neighbours that are lightest together; -1 if none may be joined. @param {Run[]} runs */
function lightest(runs) {
  let [best, least] = [-1, Infinity];
  for (let i = 0; i + 1 < runs.length; i++) {
    const [one, next] = [runs[i], runs[i + 1]];
    if (!one || !next || one.alone || next.alone) continue;
    const weight = one.parameters + next.parameters + one.layers + next.layers;
    if (weight < least) [best, least] = [i, weight];
  }
  return best;
}

/** The layers of a model, without those within layers. @param {any[]} items of the answer `layers` */
function outermost(items) {
  const [root] = items;
  const within = items.some(({ parent }) => parent === root?.index);
  return items.filter(({ parent }) => (within ? parent === root.index : parent === null));
}

/**
 * @param {any[]} items of the answer `layers`
 * @returns {Run[]}
 */
export function folded(items) {
  const layers = outermost(items);
  const all = layers.reduce((sum, { parameters }) => sum + (parameters ?? 0), 0);
  /** @param {any} one @param {number} i @returns {Run} */
  const runOf = (one, i) => {
    const { name, path, parameters = 0, parameters_complete: complete = true } = one;
    const alone = i === 0 || i === layers.length - 1 || (all > 0 && parameters >= LARGE * all);
    const stem = blockOf(name ?? path ?? '') ?? stemOf(name ?? path ?? '');
    return { first: one, last: one, layers: 1, parameters, complete, alone, stem, end: stem, blocks: 1 };
  };
  if (layers.length <= LINES) return layers.map(runOf);
  /** @type {Run[]} */
  let runs = [];
  for (const [i, one] of layers.entries()) add(runs, runOf(one, i));
  runs = withRepeats(runs);
  for (let at = lightest(runs); runs.length > LINES && at >= 0; at = lightest(runs)) {
    const [one, next] = runs.splice(at, 2);
    if (one && next) runs.splice(at, 0, joined(one, next));
  }
  return runs;
}
