// What `import` of the package costs a program in Node, beside hyparquet: CPU time and wall-clock time of
// a process that does nothing else, over one that does nothing.
//
//   node web/scripts/dist.js && npm ci --prefix web/bench && node web/bench/import.js [ROUNDS]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 25);
const own = fileURLToPath(new URL('../dist/node.js', import.meta.url));
/** @type {Record<string, string>} */
const programs = {
  nothing: '',
  libcpb: `await import(${JSON.stringify(own)});`,
  hyparquet: "await import('hyparquet');",
};

/** @param {string} program @returns {[cpu: number, wall: number]} in milliseconds */
function run(program) {
  const end = `const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  const begun = performance.now();
  const options = /** @type {const} */ ({ cwd: import.meta.dirname, encoding: 'utf8' });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program + end], options);
  if (status !== 0) throw new Error(stderr);
  return [Number(stdout), performance.now() - begun];
}

/** @param {number[]} values */
const median = (values) => Number(values.sort((a, b) => a - b)[values.length >> 1]);

/** @type {Record<string, [number, number][]>} */
const runs = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let i = 0; i < rounds; i++) for (const [name, program] of Object.entries(programs)) runs[name]?.push(run(program));

const [bare = [0, 0], ...others] = Object.entries(runs).map(([, each]) =>
  [0, 1].map((i) => median(each.map((one) => one[/** @type {0 | 1} */ (i)]))),
);
Object.keys(programs)
  .slice(1)
  .forEach((name, i) => {
    const [cpu, wall] = [0, 1].map((k) => Number(others[i]?.[k]) - Number(bare[k]));
    console.log(`${name}: ${cpu?.toFixed(1)} ms CPU, ${wall?.toFixed(1)} ms over nothing`);
  });
