/** Runtimes with a test runner of their own: one process a file, its closing lines read. */
import { existsSync } from 'node:fs';
import { root } from './files.js';
import { start, within } from './process.js';

const bin = `${root}web/test/node_modules/.bin/`;

/**
 * The command for a file, and where its runner counts.
 *
 * @typedef {{passed: RegExp, failed: RegExp, skipped: RegExp}} Counts
 * @type {Record<string, Counts & {command: (file: string) => string[]}>}
 */
const runners = {
  node: {
    command: (file) => [process.execPath, '--test-reporter=tap', file],
    passed: /^# pass (\d+)/m,
    failed: /^# (?:fail|cancelled) (\d+)/gm,
    skipped: /^# skipped (\d+)/m,
  },
  deno: {
    command: (file) => [`${bin}deno`, 'test', '-A', '--no-check', '--no-lock', '--no-config', file],
    passed: /\| (\d+) passed/,
    failed: /\| (\d+) failed/g,
    skipped: /\| (\d+) ignored/,
  },
  bun: {
    command: (file) => [`${bin}bun`, 'test', '--timeout', '300000', `./${file}`],
    passed: /^ *(\d+) pass$/m,
    failed: /^ *(\d+) (?:fail|error)s?$/gm,
    skipped: /^ *(\d+) skip$/m,
  },
};

/** @type {(pattern: RegExp, text: string) => number} */
const number = (pattern, text) =>
  [...text.matchAll(new RegExp(pattern, pattern.flags.replace('g', '') + 'g'))].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  );

/**
 * @param {'node' | 'deno' | 'bun'} name
 * @param {{base: string, other: string}} server
 * @returns {Promise<import('./run.js').Session>}
 */
export async function startNative(name, server) {
  const runner = /** @type {any} */ (runners[name]);
  const program = runner.command('')[0];
  if (!existsSync(program)) throw new Error(`${name} is not installed; web/test/setup.sh does that`);
  const env = {
    CPB_TEST_BASE: server.base,
    CPB_TEST_OTHER: server.other,
    NO_COLOR: '1',
    DENO_NO_PACKAGE_JSON: '1',
    DENO_NO_UPDATE_CHECK: '1',
  };
  return {
    several: true,
    async run(file, limit) {
      const child = start(runner.command(file), env);
      const end = await within(child.ended, limit);
      child.kill();
      const text = end?.output ?? child.output();
      const outcome = {
        passed: number(runner.passed, text),
        failed: number(runner.failed, text),
        skipped: number(runner.skipped, text),
        reasons: [...text.matchAll(/SKIPPED (.*)$/gm)].map((match) => String(match[1])),
        text: end ? text : `${text}\nended after ${limit} ms`,
      };
      if (end?.code !== 0 && outcome.failed === 0) outcome.failed = 1;
      return outcome;
    },
    async stop() {},
  };
}
