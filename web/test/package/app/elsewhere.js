/** The same without a bundler: the one file comes from another origin, as from a CDN. */
import { told } from './told.js';

const query = new URLSearchParams(location.search);
const from = query.get('from') ?? '';
const { open, openInWorker } = await import(from);
await told(async (url) => {
  const message = await (query.has('worker') ? openInWorker(url) : open(url));
  const loaded = performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(new URL(from).origin));
  if (loaded.length !== 1) throw new Error(`loaded ${loaded.map(({ name }) => name)}`);
  return message;
});
