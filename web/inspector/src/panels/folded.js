/** Many layers in a few lines: runs of those whose names begin alike become one. */

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
 * @property {string} stem the common beginning of their names
 */

/** What is before the first number or the second word. @param {string} name */
const stemOf = (name) => /^[^_\d]+/.exec(name)?.[0] ?? name;

/** @param {Run} one @param {Run} next @returns {Run} */
const joined = (one, next) => ({
  ...one,
  last: next.last,
  layers: one.layers + next.layers,
  parameters: one.parameters + next.parameters,
  complete: one.complete && next.complete,
});

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

/**
 * The layers of a model, without those within layers.
 *
 * @param {any[]} items of the answer `layers`
 * @returns {Run[]}
 */
export function folded(items) {
  const [root] = items;
  const within = items.some(({ parent }) => parent === root?.index);
  const layers = items.filter(({ parent }) => (within ? parent === root.index : parent === null));
  const all = layers.reduce((sum, { parameters }) => sum + (parameters ?? 0), 0);
  const short = layers.length <= LINES;
  /** @type {Run[]} */
  const runs = [];
  for (const [i, one] of layers.entries()) {
    const { name, path, parameters = 0, parameters_complete: complete = true } = one;
    const edge = i === 0 || i === layers.length - 1;
    const alone = short || edge || (all > 0 && parameters >= LARGE * all);
    const run = { first: one, last: one, layers: 1, parameters, complete, alone, stem: stemOf(name ?? path ?? '') };
    const before = runs.at(-1);
    if (before && !before.alone && !alone && before.stem === run.stem) runs[runs.length - 1] = joined(before, run);
    else runs.push(run);
  }
  for (let at = lightest(runs); runs.length > LINES && at >= 0; at = lightest(runs)) {
    const [one, next] = runs.splice(at, 2);
    if (one && next) runs.splice(at, 0, joined(one, next));
  }
  return runs;
}
