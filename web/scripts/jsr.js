/**
 * Makes the folder that is published on JSR, from web/dist; outside of web/, whose package.json
 * would make Deno look for what npm installs:
 *
 *     node scripts/jsr.js [web/dist] [output: build/jsr]; cd build/jsr; deno publish --allow-slow-types
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
for (const entry of Object.values(exports)) {
  const types = entry.replace('./', './types/').replace(/\.js$/, '.d.ts');
  const script = readFileSync(`${output}/${entry}`, 'utf8');
  writeFileSync(`${output}/${entry}`, `/* @ts-self-types="${types}" */\n${script}`);
}
// Types lead to files of types by their own names there, and the users have the library that a line names.
for (const name of readdirSync(`${output}/types`, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const types = readFileSync(`${output}/types/${name}`, 'utf8');
  const named = types.replace(/(?<=["']\.{1,2}\/[^"'\n]*)\.js(?=["'])/g, '.d.ts');
  writeFileSync(`${output}/types/${name}`, named.replace(/^\/\/\/ <reference lib=.*\n/, ''));
}
writeFileSync(`${output}/jsr.json`, JSON.stringify({ name: '@libcpb/libcpb', version, license, exports }, null, 2));
