import { CpbError } from '../errors.js';

/** A name as part of a path. @param {string} name */
const escaped = (name) => encodeURIComponent(name).replace(/%2F/g, '/');

/**
 * The schemes of stores: the parts of a name, in words, and the URL to request for it.
 * @type {Record<string, [form: RegExp, words: string, to: (...parts: string[]) => string]>}
 */
const stores = {
  hf: [
    /^((?:(?:dataset|space)s\/[^/]+|(?!(?:dataset|space)s\/)[^/]+)\/[^/@]+)(?:@([^/]+))?\/(.+)$/s,
    'OWNER/MODEL/FILE, or hf://OWNER/MODEL@REVISION/FILE',
    (repository = '', revision = 'main', file = '') =>
      `https://huggingface.co/${escaped(repository)}/resolve/${escaped(revision).replace(/%25/g, '%')}/${escaped(file)}`,
  ],
  gs: [
    /^([^/]+)\/(.+)$/s,
    'BUCKET/OBJECT',
    (bucket, object = '') => `https://storage.googleapis.com/${bucket}/${escaped(object)}`,
  ],
  s3: [
    /^([^/]+)\/(.+)$/s,
    'BUCKET/KEY',
    (bucket = '', key = '') =>
      `https://${bucket.includes('.') ? `s3.us-east-1.amazonaws.com/${bucket}` : `${bucket}.s3.us-east-1.amazonaws.com`}/${escaped(key)}`,
  ],
};

/** The addresses of pages that show a file, and of the file. @type {[RegExp, string][]} */
const pages = [
  [/^(https:\/\/huggingface\.co\/(?:(?:[^/?#]+\/){2}|(?:[^/?#]+\/){3}|[^/?#]+\/))blob(?=\/[^?#])/i, '$1resolve'],
  [/^(https:\/\/github\.com\/[^/?#]+\/[^/?#]+\/)blob(?=\/[^?#])/i, '$1raw'],
  [/^(https?:\/\/[^/?#]+\/(?:[^/?#]+\/){2,9}?)-\/blob(?=\/[^?#])/i, '$1-/raw'],
];

/** GitHub answers such a page with a redirect, which only that page's own scripts may follow. */
const RAW = /^https:\/\/github\.com\/([^/?#]+\/[^/?#]+)\/raw(?=\/[^?#])/i;

/** The supported schemes. */
const READ = ['http', 'https', 'hf', 'gs', 's3'];

/** Where the query begins in a key; everything else is part of the name. @param {string} text */
const keyLength = (text) => /\?[a-z0-9-]+=/i.exec(text)?.index ?? text.length;

/**
 * The URL to request for an address: of a file in a store, or of a page that shows a file. src/host/url/served.c has
 * the same table; tests/data/addresses.json is held against both.
 *
 * @param {string} given
 * @param {string} url the same as a URL, if it is one of http or https
 * @param {string} [page] the scheme of this page, in a browser
 */
export function requestedFor(given, url, page) {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]+):(?:\/\/)?(.*)$/is.exec(given) ?? [];
  const [form, words, to] = stores[scheme.toLowerCase()] ?? [];
  if (form && to) {
    const parts = form.exec(rest.slice(0, keyLength(rest)));
    if (!parts) throw new CpbError('USAGE', `this names no file; expected ${scheme}://${words}`);
    return to(...parts.slice(1)) + rest.slice(keyLength(rest));
  }
  const [own = ''] = /^[^:]*/.exec(url) ?? [];
  // The runtime itself supports the schemes of a program's own pages and files.
  if (![...READ, 'file', 'content', page?.slice(0, -1)].includes(own))
    throw new CpbError('USAGE', `URLs of the scheme ${own} are not read; expected one of ${READ.join(', ')}`);
  const file = pages.reduce((text, [shown, put]) => text.replace(shown, put), url);
  return page === undefined ? file : file.replace(RAW, 'https://raw.githubusercontent.com/$1');
}

/**
 * The address of another file, by its path relative to the folder of a given file.
 *
 * @param {string} given the address of the file in that folder
 * @param {string} url the same as a URL
 * @param {string} path
 */
export function beside(given, url, path) {
  if (/^http/.test(url)) {
    // Escapes each part of the name, including characters that servers interpret: `;`, and `+`, which S3 takes for a
    // space. The query may be a signature.
    return new URL(`./${escaped(path)}${new URL(url).search}`, url).href;
  }
  const length = keyLength(given);
  if (keyLength(path) < path.length)
    throw new CpbError('READ', `the name ${path} would begin a query; expected no ? that a parameter follows`);
  return given.slice(0, length).replace(/[^/]*$/, () => path) + given.slice(length);
}
