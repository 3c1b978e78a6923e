/** Workers, also when the element's files are on another origin than the page. */

/** @param {string} name of a module beside this one */
export function startWorker(name) {
  const url = new URL(`./${name}.js`, import.meta.url);
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const text = `import ${JSON.stringify(url.href)};`;
  const here = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(here, { type: 'module' });
  setTimeout(() => URL.revokeObjectURL(here), 60_000);
  return worker;
}
