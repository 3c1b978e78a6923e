/**
 * Makes the folder that is published on JSR, from web/dist; outside of web/, whose package.json
 * would make Deno look for what npm installs:
 *
 *     node scripts/jsr.js [web/dist] [output: build/jsr]; cd build/jsr; deno publish --allow-slow-types
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const [dist = path('dist'), output = path('../build/jsr')] = process.argv.slice(2);
const { version, license } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

// JSR has no conditions: the entry that works everywhere is the main one.
const exports = { '.': './inline.js', './node': './node.js', './workerd': './workerd.js' };

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
cpSync(dist, output, { recursive: true });
for (const name of ['README.md', '../LICENSE']) cpSync(path(name), `${output}/${name.replace('../', '')}`);
for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
  const types = name.replace(/\.js$/, '.d.ts');
  if (types === name || !existsSync(`${output}/${types}`)) continue;
  const script = readFileSync(`${output}/${name}`, 'utf8');
  writeFileSync(`${output}/${name}`, `/* @ts-self-types="./${basename(types)}" */\n${script}`);
}
// JSR allows no such line, and its users have the library.
const api = readFileSync(`${output}/api.d.ts`, 'utf8');
writeFileSync(`${output}/api.d.ts`, api.replace(/^\/\/\/ <reference lib=.*\n/, ''));
writeFileSync(`${output}/jsr.json`, JSON.stringify({ name: '@libcpb/libcpb', version, license, exports }, null, 2));
