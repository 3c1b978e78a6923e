/** Workers, also when the element's files are on another origin than the page, and what they need. */
import { setUp } from 'libcpb/init.js';
import { moduleFor } from 'libcpb/modules.js';
import { moduleUrl } from 'libcpb/module-urls.js';

setUp(moduleUrl);

/** The module that reads models: it is loaded while a worker starts, and once for all of them. */
export const modules = async () => ({ inspect: await moduleFor('inspect') });

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
