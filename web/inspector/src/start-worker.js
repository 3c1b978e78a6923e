/** Workers, also when the element's files are on another origin than the page, and what they need. */
import { setUp } from 'libcpb/init.js';
import { moduleFor } from 'libcpb/modules.js';
import { moduleUrl } from 'libcpb/module-urls.js';
import { startAt } from 'libcpb/worker/connected-worker.js';

setUp(moduleUrl);

/** The module that reads models: it is loaded while a worker starts, and once for all of them. */
export const modules = async () => ({ inspect: await moduleFor('inspect') });

/** @param {string} name of a module beside this one */
export const startWorker = (name) => startAt(new URL(`./${name}.js`, import.meta.url));
