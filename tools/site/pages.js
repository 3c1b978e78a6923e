/**
 * node pages.js REFERENCE OUT: what VitePress makes the site of: the README and all that it leads to, page
 * by page, source files among them, with links between them as they are in the repository; the C reference
 * (headers.js) and the JavaScript reference (web/scripts/docs.js).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headerPages } from './headers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [reference = '', out = ''] = process.argv.slice(2);

const tracked = new Set(execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0'));
const folders = new Set([...tracked].flatMap((file) => parents(file)));

/** @param {string} file */
function parents(file) {
  const all = [];
  for (let at = dirname(file); at !== '.'; at = dirname(at)) all.push(at);
  return all;
}

/** The page of a file or folder of the repository. @param {string} path */
function pageOf(path) {
  if (path === '' || path === '.') return 'index.md';
  if (/^include\/cpb\/\w+\.h$/.test(path)) return `c/${path.slice(12).replace('.h', '.md')}`;
  if (path === 'include' || path === 'include/cpb') return 'c/index.md';
  if (folders.has(path)) return `${path}/index.md`;
  if (path.endsWith('README.md')) return join(dirname(path), 'index.md');
  return path.endsWith('.md') ? path : `source/${path.replace(/\.(?=\w+$)/, '-')}.md`;
}

/** @param {string} name @param {string} text */
function write(name, text) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), text);
}

/** Files and folders of the repository that some page leads to. @type {string[]} */
const waiting = ['README.md'];
const made = new Set(waiting);

/** @param {string} path */
function need(path) {
  if (made.has(path) || /^include(\/cpb(\/\w+\.h)?)?$/.test(path)) return;
  made.add(path);
  waiting.push(path);
}

/**
 * A link of a file, as it is on the site.
 *
 * @param {string} from the file
 * @param {string} target
 */
function linked(from, target) {
  if (/^(\w+:|#|\/)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const to = normalize(join(dirname(from), path)).replace(/\/$/, '');
  const there = to === '.' ? 'README.md' : to;
  if (!tracked.has(there) && !folders.has(there)) throw new Error(`${from}: there is no ${target}`);
  if (extname(there) === '.png') {
    mkdirSync(dirname(join(out, there)), { recursive: true });
    cpSync(root + there, join(out, there));
    return relative(dirname(pageOf(from)), there).replace(/^(?!\.)/, './');
  }
  const file = folders.has(there) && tracked.has(`${there}/README.md`) ? `${there}/README.md` : there;
  need(file);
  const link = relative(dirname(pageOf(from)), pageOf(file)).replace(/^(?!\.)/, './');
  return anchor ? `${link}#${anchor}` : link;
}

/** Changes what is not in blocks of code. @param {string} text @param {(text: string) => string} change */
const outsideCode = (text, change) =>
  text
    .split(/(^ *```.*?^ *```$)/ms)
    .map((part, i) => (i % 2 ? part : change(part)))
    .join('');

/** @param {string} from @param {string} text */
const withLinks = (from, text) =>
  outsideCode(text, (part) =>
    part.replaceAll(/(\]\()([^)\s]+)(\))/g, (_, a, target, b) => a + linked(from, target) + b),
  );

const languages = {
  h: 'c',
  hpp: 'cpp',
  cc: 'cpp',
  mjs: 'js',
  txt: 'text',
  LICENSE: 'text',
  toml: 'toml',
  ld: 'text',
  in: 'text',
  wit: 'text',
};

/** A source file as a page that the search leaves out. @param {string} path */
function sourcePage(path) {
  const text = readFileSync(root + path, 'utf8');
  const ending = extname(path).slice(1) || path;
  const language = /** @type {any} */ (languages)[ending] ?? ending;
  const known = /^(c|cpp|js|ts|py|sh|cmake|html|proto|json|toml|rust|go|yaml|css)$/.test(language) ? language : 'text';
  return `---\nsearch: false\noutline: false\n---\n\n# ${path}\n\n\`\`\`\`${known}\n${text.trimEnd()}\n\`\`\`\`\n`;
}

/** A folder without a README. @param {string} path */
function folderPage(path) {
  const inside = [...tracked].filter((file) => file.startsWith(`${path}/`));
  const entries = [...new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0]))];
  const rows = entries.map((name) => {
    const link = linked(`${path}/README.md`, String(name));
    return link.endsWith('.png') ? `![${name}](${link})\n` : `- [${name}](${link})`;
  });
  return `---\nsearch: false\n---\n\n# ${path}\n\n${rows.join('\n')}\n`;
}

rmSync(out, { recursive: true, force: true });
for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
  if (folders.has(path)) write(pageOf(path), folderPage(path));
  else if (path.endsWith('.md')) write(pageOf(path), withLinks(path, readFileSync(root + path, 'utf8')));
  else write(pageOf(path), sourcePage(path));
}

const headers = readdirSync(`${root}include/cpb`).filter((name) => name.endsWith('.h'));
const texts = new Map(headers.map((name) => [name, readFileSync(`${root}include/cpb/${name}`, 'utf8')]));
for (const [name, text] of headerPages(texts)) write(`c/${name}`, text);

// Without the chapters of docs/javascript.md that docs.js adds: the site has that page.
for (const name of readdirSync(reference, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
)) {
  const [text = ''] = readFileSync(join(reference, name), 'utf8').split(/^## Runtimes$/m);
  write(`javascript/${name}`, text.replace(/^# libcpb$/m, '# JavaScript reference'));
}
const python = join(reference, '../python.md');
if (existsSync(python)) write('python/reference.md', readFileSync(python, 'utf8'));
if (!existsSync(join(out, 'javascript/reference.md'))) throw new Error('web/scripts/docs.js has made no reference.md');
