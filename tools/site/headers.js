/**
 * The C reference: a page for each public header, in the header's own order. Its comments become text,
 * in which names of the library are links, and what they are about stays as it is written.
 */

/** What a declaration declares. */
const forms = [
  /^#define (CPB_\w+)/gm,
  /^CPB_API\b[^;]*?\b(cpb_\w+)\(/gm,
  /^typedef [^;{]*?\(\*(cpb_\w+)\)\(/gm,
  /^typedef [^;{(]*?\b(cpb_\w+);/gm,
  /^(?:typedef )?(?:struct|enum|union) (cpb_\w+) \{/gm,
  /^\} (cpb_\w+);/gm,
];

/** @param {string} code @returns {string[]} in their order, each once */
function namesIn(code) {
  const found = forms.flatMap((form) => [...code.matchAll(form)].map(({ index, 1: name }) => ({ index, name })));
  return [...new Set(found.sort((a, b) => a.index - b.index).map(({ name }) => String(name)))];
}

/**
 * A header as its parts: what is said of it, and blocks of a comment and the declarations below it.
 *
 * @param {string} text
 * @param {string} file
 */
export function parseHeader(text, file) {
  const [, intro = '', rest = ''] = /^\/\*(.*?)\*\/\n(.*)$/s.exec(text) ?? [];
  const guard = /^#(ifndef|define) CPB_\w+_H\n|^#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n|^#include .*\n/gm;
  /** @type {{ section?: string, comment: string, code: string, names: string[] }[]} */
  const blocks = [];
  for (const part of split(rest.replaceAll(guard, '').replace(/#endif\s*$/, ''))) {
    const [, section] = /^\/\* --- (.*?) -+ \*\/$/.exec(part) ?? [];
    const [, comment = '', code = part] = /^\/\*(.*?)\*\/\n?(.*)$/s.exec(part) ?? [];
    blocks.push(section ? { section, comment: '', code: '', names: [] } : { comment, code, names: namesIn(code) });
  }
  const declared = text.match(/^CPB_API\b/gm)?.length ?? 0;
  const shown = blocks.reduce((sum, { code }) => sum + (code.match(/^CPB_API\b/gm)?.length ?? 0), 0);
  if (!intro || declared !== shown) throw new Error(`${file}: ${shown} functions of ${declared} are on its page`);
  return { intro, blocks };
}

/** At empty lines outside of braces and comments. @param {string} text */
function split(text) {
  const parts = [''];
  let depth = 0;
  let comment = false;
  for (const line of text.split('\n')) {
    const empty = line === '' && depth === 0 && !comment;
    if (empty) parts.push('');
    else parts.push(`${parts.pop()}${line}\n`);
    const outside = line.replaceAll(/\/\*.*?\*\//g, '');
    if (outside.includes('/*')) comment = true;
    else if (outside.includes('*/')) comment = false;
    else if (!comment) depth += (outside.match(/\{/g)?.length ?? 0) - (outside.match(/\}/g)?.length ?? 0);
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/**
 * A comment as Markdown: what is indented is code, all else text and lists.
 *
 * @param {string} comment
 * @param {(text: string) => string} link
 */
function prose(comment, link) {
  let code = false;
  let list = false;
  let depth = 0;
  const out = [];
  for (const raw of comment.split('\n')) {
    const line = raw.replace(/^ \* ?/, '').trimEnd();
    if (/^- /.test(line)) list = true;
    else if (line === '' || /^\S/.test(line)) list = false;
    const indented = /^ {2,}\S/.test(line) && !list;
    if (indented && !code) {
      out.push('', '```c');
      depth = line.search(/\S/);
    }
    if (!indented && code && line !== '') out.splice(lastText(out) + 1, 0, '```', '');
    if (indented || line !== '') code = indented;
    out.push(code ? line.slice(Math.min(depth, Math.max(0, line.search(/\S/)))) : link(line));
  }
  if (code) out.push('```');
  return out.join('\n').trim();
}

/** @param {string[]} lines */
const lastText = (lines) => lines.findLastIndex((line) => line !== '');

/**
 * @param {Map<string, string>} headers text by name, such as "find.h"
 * @returns {Map<string, string>} pages by name, such as "find.md", and index.md
 */
export function headerPages(headers) {
  const parsed = new Map([...headers].map(([name, text]) => [name, parseHeader(text, name)]));
  /** Where each name is declared. @type {Map<string, string>} */
  const places = new Map();
  for (const [name, { blocks }] of parsed) {
    const page = name.replace('.h', '.md');
    // What is declared twice is where its members are. Values are found at their enum.
    const defining = (/** @type {{ code: string }} */ { code }) => Number(!/ \{$/m.test(code));
    for (const block of [...blocks].sort((a, b) => defining(a) - defining(b))) {
      block.names = block.names.filter((one) => !places.has(one));
      for (const one of block.names) places.set(one, `${page}#${one}`);
      const [first] = block.names;
      for (const [, value = ''] of first ? block.code.matchAll(/^ {2}(CPB_\w+)(?: = |,|$)/gm) : [])
        if (!places.has(value)) places.set(value, `${page}#${first}`);
    }
  }
  const link = (/** @type {string} */ text) =>
    text
      .split(/(`[^`]*`)/)
      .map((part, i) => (i % 2 ? part : plain(part)))
      .join('');
  const plain = (/** @type {string} */ text) =>
    text
      .replaceAll(/[<>&]/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[c] ?? c)
      .replaceAll(/[*[\]|{}]/g, (c) => `\\${c}`)
      .replaceAll(/\bcpb\/(\w+)\.h\b/g, (all, name) => (headers.has(`${name}.h`) ? `[${all}](${name}.md)` : all))
      .replaceAll(/(?<![\w/])((?:cpb|CPB)_\w+)(?:\(\))?/g, (all, name) =>
        places.has(name) ? `[\`${all}\`](${places.get(name)})` : all,
      );

  const pages = new Map([...parsed].map(([name, header]) => [name.replace('.h', '.md'), page(name, header, link)]));
  const rows = [...parsed].map(
    ([name, { intro }]) => `| [${name}](${name.replace('.h', '.md')}) | ${plain(titleOf(intro))} |`,
  );
  const about = 'The public headers, as they are installed, a page each. A program includes what it uses.';
  return pages.set('index.md', `# C reference\n\n${about}\n\n| cpb/ | |\n|---|---|\n${rows.join('\n')}\n`);
}

/** @param {string} intro */
function titleOf(intro) {
  const [, first = ''] = /^ cpb\/\w+\.h: (.*?)(?:\n \*\n|\n \*$|$)/s.exec(intro) ?? [];
  return first
    .replaceAll(/\n \* ?/g, ' ')
    .trim()
    .replace(/\.$/, '');
}

/**
 * @param {string} name
 * @param {ReturnType<typeof parseHeader>} header
 * @param {(text: string) => string} link
 */
function page(name, { intro, blocks }, link) {
  const out = [
    `# cpb/${name}`,
    '',
    prose(
      intro.replace(/^ cpb\/\w+\.h: (.)/, (_, first) => ` * ${first.toUpperCase()}`),
      link,
    ),
    '',
  ];
  for (const { section, comment, code, names } of blocks) {
    if (section) {
      out.push(`## ${section}`, '');
      continue;
    }
    const [first, ...others] = names;
    if (first) out.push(`### ${names.map((one) => `\`${one}\``).join(', ')} {#${first}}`, '');
    out.push(...others.map((one) => `<a id="${one}"></a>`), '', prose(comment, link), '');
    if (code) out.push('```c', code.trim(), '```', '');
  }
  return out.join('\n');
}
