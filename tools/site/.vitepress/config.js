/** The site. SITE_BASE is its path on the server, for instance /libcpb/. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const base = process.env.SITE_BASE ?? '/';

/** The README's table of documentation, as a menu. */
function documentation() {
  const [, table = ''] =
    /^## Documentation\n(.*?)(?=^\w)/ms.exec(readFileSync(here('../../../README.md'), 'utf8')) ?? [];
  const items = [...table.matchAll(/\[(.*?)\]\((.*?)\)/g)].map(([, name = '', path = '']) => ({
    text: name.replace(/^./, (c) => c.toUpperCase()),
    link: `/${path.replace(/README\.md$/, '').replace(/\.md$/, '')}`,
  }));
  return { text: 'Documentation', items };
}

const python = existsSync(here('../../../build/site-parts/pages/python/reference.md'));

const reference = {
  text: 'Reference',
  items: [
    { text: 'C', link: '/c/' },
    { text: 'JavaScript', link: '/javascript/reference' },
    ...(python ? [{ text: 'Python', link: '/python/reference' }] : []),
  ],
};

/** As GitHub names headings, for which the links were written. @param {string} text */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

export default defineConfig({
  base,
  srcDir: here('../../../build/site-parts/pages'),
  outDir: here('../../../build/site'),
  cacheDir: here('../../../build/site-parts/cache'),
  title: 'libcpb',
  description: 'Large protobuf messages and machine-learning models, a piece at a time',
  lang: 'en',
  metaChunk: true,
  markdown: { anchor: { slugify } },
  ignoreDeadLinks: [/\/inspector\/index$/], // copied beside the pages; check.js looks for it
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'C', link: '/c/' },
      { text: 'JavaScript', link: '/javascript/reference' },
      { text: 'Inspector', link: '/inspector/index.html', target: '_self' },
    ],
    sidebar: [documentation(), reference],
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
