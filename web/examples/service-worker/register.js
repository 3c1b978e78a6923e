/**
 * Resolves once requests of this page go through the service worker.
 *
 * @param {string} models the URL in front of the names of models
 */
export async function serveModels(models) {
  const { serviceWorker } = navigator;
  await serviceWorker.register(`./sw.js?models=${encodeURIComponent(models)}`, { type: 'module' });
  if (serviceWorker.controller) return;
  await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
}
