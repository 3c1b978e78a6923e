/** In a browser: runs the next test file, posts its results, and begins anew. */
const query = new URLSearchParams(location.search);
const runtime = query.get('runtime') ?? '';

/** @type {any} */ (globalThis).cpbTest = {
  base: location.origin,
  other: query.get('other'),
  all: query.has('all'),
};

/** @type {string[]} */
const errors = [];
addEventListener('error', (event) => errors.push(`outside of a test: ${event.message} ${event.error?.stack ?? ''}`));
addEventListener('unhandledrejection', (event) =>
  errors.push(`unhandled: ${event.reason} ${event.reason?.stack ?? ''}`),
);

async function next() {
  for (;;) {
    const response = await fetch(`/-/next?${new URLSearchParams({ runtime })}`, {
      cache: 'no-store',
    });
    if (response.status === 200) return (await response.json()).file;
  }
}

const file = await next();
document.title = file;
/** @type {import('../support/test.js').Result[]} */
let results = [];
try {
  await import(`/${file}`);
  const { runCollected } = await import('../support/test.js');
  results = await runCollected();
} catch (error) {
  const { name, message, stack } = /** @type {Error} */ (error);
  errors.push(`${file} cannot be loaded: ${name}: ${message}\n${stack}`);
}
await fetch(`/-/report?${new URLSearchParams({ runtime, file })}`, {
  method: 'POST',
  body: JSON.stringify({ results, errors }),
});
location.reload();
