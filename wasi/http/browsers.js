// node browsers.js COMPONENT_ORIGIN PATH ...: a page of another origin, in each of the three browsers that web/test uses,
// reads the paths with fetch: whole, again with If-None-Match, and the last one also as a range. Prints the results, a
// line of JSON for each browser.
import { createServer } from 'node:http';
import { launch } from '../../web/test/runtimes/browsers.js';
import { within } from '../../web/test/runtimes/process.js';

const [origin, ...paths] = process.argv.slice(2);
const LIMIT = 120_000;

/** Runs in the page. */
async function read(origin, paths) {
  const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const get = async (path, headers = {}) => {
    const response = await fetch(origin + path, { headers, cache: 'no-store' });
    const [etag, range] = ['etag', 'content-range'].map((name) => response.headers.get(name));
    return { status: response.status, etag, range, body: hex(await response.arrayBuffer()) };
  };
  const answers = [];
  for (const path of paths) {
    const answer = await get(path);
    answers.push(answer, await get(path, { 'If-None-Match': answer.etag ?? '' }));
  }
  answers.push(await get(String(paths.at(-1)), { Range: 'bytes=1-4' }));
  return answers;
}

const page = `<!doctype html><script type="module">
const report = (result) => fetch('/report', { method: 'POST', body: JSON.stringify(result) });
${read}
read(${JSON.stringify(origin)}, ${JSON.stringify(paths)}).then(report, (error) => report({ error: String(error) }));
</script>`;

let reported = (_) => {};
const server = createServer(async (request, response) => {
  if (request.url !== '/report') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  response.writeHead(204).end();
  reported(JSON.parse(body));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));

for (const name of ['chromium', 'firefox', 'webkit']) {
  const report = new Promise((resolve) => (reported = resolve));
  const browser = launch(name, `http://127.0.0.1:${server.address().port}/`);
  const result = await within(report, LIMIT);
  console.log(JSON.stringify({ name, result: result ?? browser.output().slice(-2000) }));
  await browser.close();
}
process.exit();
