/**
 * node check.js FOLDER [BASE]: whether every link of a site's pages leads to a file of it, and to a place in
 * that; prints those that do not. Links to other sites are not followed.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', base = '/'] = process.argv.slice(2);
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

const unescaped = (/** @type {string} */ text) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

/** Places by file. @type {Map<string, Set<string>>} */
const places = new Map();

/** @param {string} file */
function placesIn(file) {
  const ids = () =>
    [...readFileSync(file, 'utf8').matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id = '']) => unescaped(id));
  if (!places.has(file)) places.set(file, new Set(ids()));
  return places.get(file) ?? new Set();
}

/** What is wrong with a link. @param {string} page @param {string} target @returns {string | undefined} */
function wrong(page, target) {
  const origin = 'http://site';
  const url = new URL(target, `${origin}${base}${page}`);
  if (url.origin !== origin) return undefined;
  if (!url.pathname.startsWith(base)) return `is outside of ${base}`;
  let file = join(folder, decodeURIComponent(url.pathname.slice(base.length)));
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  if (!existsSync(file)) return `leads to no file`;
  const place = decodeURIComponent(url.hash.slice(1));
  if (place && file.endsWith('.html') && !file.includes('/inspector/') && !placesIn(file).has(place))
    return `leads to no place in ${file}`;
  return undefined;
}

let links = 0;
let broken = 0;
for (const page of pages) {
  for (const [, target = ''] of readFileSync(join(folder, page), 'utf8').matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    links++;
    const what = wrong(page, unescaped(target));
    if (!what) continue;
    broken++;
    console.log(`${page}: ${target} ${what}`);
  }
}
console.log(`${pages.length} pages, ${links} links, ${broken} broken`);
process.exitCode = broken || !links ? 1 : 0;
