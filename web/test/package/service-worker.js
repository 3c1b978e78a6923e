/** A page of a user of examples/service-worker: what it gets for its requests goes to the test. */
// @ts-ignore: beside it once it is copied
import { serveModels } from './register.js';

const query = new URLSearchParams(location.search);

async function found() {
  await serveModels(query.get('models') ?? '');
  const whole = await (await fetch('models/max3000_zstd.pb')).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
  const range = await fetch('models/max3000_zstd.pb', { headers: { Range: 'bytes=5000-5009' } });
  const statuses = [];
  for (const path of ['max3000_zstd.pb', 'none.pb', 'max3000_zstd/none', 'max3000_zstd/saved_model_schema_version'])
    statuses.push((await fetch(`models/${path}`)).status);
  const beyond = await fetch('models/max3000_zstd.pb', { headers: { Range: `bytes=${whole.byteLength}-` } });
  return {
    digest: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    range: [range.status, range.headers.get('Content-Range'), [...new Uint8Array(await range.arrayBuffer())]],
    tags: await (await fetch('models/max3000_zstd/meta_graphs[0].meta_info_def.tags')).json(),
    statuses: [...statuses, beyond.status],
  };
}

const report = await found().catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }));
await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
