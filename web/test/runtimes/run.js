/**
 * node run.js [RUNTIME ...] [WORD ...]: runs the test files (those whose path has one
 * of the words) on the runtimes, all if none is named. What is missing is a failure.
 * A file that failed runs once more at the end, alone, as these run beside others on a busy
 * machine; if it passes then, that is said.
 */
import { exchange, startBrowser } from './browsers.js';
import { runtimes, testFiles } from './files.js';
import { startNative } from './native.js';
import { startServer } from './server.js';
import { startWorkerd } from './workerd.js';

/**
 * What came of a file.
 * @typedef {{passed: number, failed: number, skipped: number}} Counts
 * @typedef {Counts & {reasons: string[], text: string}} Outcome
 */

/**
 * A runtime that was started.
 * @typedef {object} Session
 * @property {(file: string, limit: number) => Promise<Outcome>} run
 * @property {() => Promise<void>} stop
 * @property {boolean} [several] it runs files side by side
 */

const fileLimit = Number(process.env.CPB_TEST_FILE_LIMIT ?? 600_000);
const lanes = 2;
const mostAgain = 4; // More is no accident.

/** @type {Record<string, (name: any, server: any) => Promise<Session>>} */
const starters = {
  node: startNative,
  deno: startNative,
  bun: startNative,
  workerd: (_, server) => startWorkerd(server),
  chromium: startBrowser,
  firefox: startBrowser,
  webkit: startBrowser,
};

/**
 * What came of a runtime, and of the files that failed on it.
 * @typedef {Counts & {runtime: string, ms: number, broken: {file: string, outcome: Outcome}[]}} Total
 */

/** @type {(total: Counts, outcome: Counts, times: 1 | -1) => void} */
function add(total, outcome, times) {
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) total[key] += times * outcome[key];
}

/** @type {(counts: Counts) => string} */
const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** @type {(text: string) => string} */
const indented = (text) => text.trim().slice(-20_000).replace(/^/gm, '    ');

/**
 * @param {string} runtime
 * @param {string} file
 * @param {Outcome} outcome
 * @param {number} begun
 */
function print(runtime, file, outcome, begun) {
  const verdict = outcome.failed ? 'FAILED' : 'ok';
  const where = `${runtime.padEnd(9)} ${verdict.padEnd(7)} ${file}`;
  console.log(`${where.padEnd(54)} ${line(outcome)}  ${Date.now() - begun} ms`);
  for (const reason of outcome.reasons) console.log(`    skipped: ${reason}`);
  for (const [, row] of outcome.text.matchAll(/^(?:# )?([┌│├└].*)$/gm)) console.log(`    ${row}`);
  if (outcome.failed) console.log(indented(outcome.text));
}

/**
 * @param {Session} session
 * @param {string} file
 * @returns {Promise<Outcome>}
 */
async function runFile(session, file) {
  const outcome = await session.run(file, fileLimit);
  if (outcome.passed + outcome.failed + outcome.skipped > 0) return outcome;
  return { ...outcome, failed: 1, text: `no test was run\n${outcome.text}` };
}

/**
 * Does something with each, so many at a time.
 *
 * @template T
 * @param {T[]} items
 * @param {number} atOnce
 * @param {(item: T) => Promise<void>} act
 */
async function each(items, atOnce, act) {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/**
 * @param {string} runtime
 * @param {object} server
 * @param {import('./files.js').TestFile[]} files
 * @param {number} atOnce if it can
 */
async function runRuntime(runtime, server, files, atOnce) {
  /** @type {Total} */
  const total = { runtime, passed: 0, failed: 0, skipped: 0, ms: Date.now(), broken: [] };
  /** @type {Session | undefined} */
  let session;
  try {
    session = await starters[runtime]?.(runtime, server);
    if (!session || files.length === 0) throw new Error('there is no test file');
    const here = session;
    const run = async (/** @type {import('./files.js').TestFile} */ { file }) => {
      const begun = Date.now();
      const outcome = await runFile(here, file);
      print(runtime, file, outcome, begun);
      add(total, outcome, 1);
      if (outcome.failed) total.broken.push({ file, outcome });
    };
    const side = here.several ? atOnce : 1;
    await each(
      files.filter(({ alone }) => !alone),
      side,
      run,
    );
    await each(
      files.filter(({ alone }) => alone),
      1,
      run,
    );
  } catch (error) {
    total.failed++;
    console.log(`${runtime.padEnd(9)} FAILED  ${/** @type {Error} */ (error).stack}`);
  }
  await session?.stop().catch(() => {}); // It may never have begun.
  total.ms = Date.now() - total.ms;
  return total;
}

/**
 * Runs what failed once more, alone.
 *
 * @param {Total} total
 * @param {object} server
 */
async function runAgain(total, server) {
  const { runtime } = total;
  for (const { file, outcome } of total.broken) {
    console.log(`\n${runtime} ${file}: ${line(outcome)}; once more, alone. At first:\n${indented(outcome.text)}`);
    const begun = Date.now();
    const session = await starters[runtime]?.(runtime, server);
    if (!session) continue;
    const second = await runFile(session, file);
    await session.stop().catch(() => {});
    print(runtime, file, second, begun);
    if (second.failed) continue;
    console.log(`again: ${runtime} ${file}`);
    add(total, outcome, -1);
    add(total, second, 1);
  }
}

async function main() {
  const words = process.argv.slice(2);
  const wanted = runtimes.filter((name) => words.includes(name));
  const filters = words.filter((word) => !runtimes.includes(word));
  const long = filters.some((word) => word.startsWith('recipes/')) ? testFiles('web/test/recipes') : [];
  const chosen = [...testFiles(), ...long].filter(
    ({ file }) => filters.length === 0 || filters.some((word) => file.includes(word)),
  );
  const { handlers, ask } = exchange();
  const server = { ...(await startServer({ handlers })), ask };
  const names = (wanted.length ? wanted : runtimes).toReversed();
  const atOnce = names.length === 1 ? lanes : 1;
  /** @type {Total[]} */
  const totals = [];
  await each(names, lanes, async (name) => {
    const files = chosen.filter((entry) => entry.runtimes.includes(name));
    totals.push(await runRuntime(name, server, files, atOnce));
  });
  const broken = totals.reduce((sum, total) => sum + total.broken.length, 0);
  if (broken <= mostAgain) for (const total of totals) await runAgain(total, server);
  server.close();
  report(totals);
}

/** @param {Total[]} totals */
function report(totals) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  console.log();
  for (const total of totals) {
    console.log(`${total.runtime}: ${line(total)} in ${(total.ms / 1000).toFixed(1)} s`);
    add(sum, total, 1);
  }
  console.log(line(sum));
  process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);
}

await main();
