/** Real servers, and a fault proxy between: what the lying server cannot know. */
import { createServer } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from '../src/source/index.js';
import { nginx } from './servers/nginx.js';
import { find } from './servers/start.js';
import { toxiproxy } from './servers/toxiproxy.js';
import { credentials, versitygw } from './servers/versitygw.js';
import './support/libcpb.js'; // sets up what tells why servers refuse
import { bytesAt } from './support/lies.js';
import { assert, each, test } from './support/test.js';

const SIZE = 3_000_000;

/** @type {(name: string) => string | undefined} */
function npm(name) {
  try {
    return createRequire(new URL('./servers/', import.meta.url)).resolve(name);
  } catch {
    return undefined;
  }
}

/** @type {(...names: string[]) => string | false} */
const unless = (...names) =>
  names.every((name) => find(name) ?? npm(name)) ? false : `no ${names.join(' or ')}: run web/test/setup.sh`;

/** @type {(act: (folders: {files: string, work: string}) => Promise<void>) => () => Promise<void>} */
const withFolders = (act) => async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cpb-servers-'));
  const [files, work] = [join(folder, 'files'), join(folder, 'work')];
  try {
    await Promise.all([mkdir(files), mkdir(work)]);
    await writeFile(join(files, 'model.cpb'), bytesAt(0, SIZE));
    await writeFile(join(files, 'empty.cpb'), '');
    await act({ files, work });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * What every server that does ranges must allow, in as few requests.
 *
 * @param {string} url of the model
 * @param {object} [http]
 * @param {number} [forTail] requests
 */
async function readsWell(url, http, forTail = 1) {
  const source = prepare(url, { http });
  const tail = await source.tail(1000);
  assert.equal(tail.size, SIZE);
  assert.ok(tail.etag, 'an ETag');
  assert.deepEqual(tail.bytes, bytesAt(SIZE - 1000, SIZE));
  assert.equal(source.transferred.requests, forTail, 'requests for the tail');
  assert.deepEqual(await source.read(70_000, 200_000), bytesAt(70_000, 270_000));
  assert.equal(source.transferred.requests, forTail + 1);
  assert.equal(source.transferred.bytes, 201_000);
  const streamed = new Uint8Array(await new Response(source.stream(5, SIZE - 10)).arrayBuffer());
  assert.deepEqual(streamed, bytesAt(5, SIZE - 5));
  assert.equal(source.transferred.requests, forTail + 2);
  const later = prepare(url, { http });
  assert.equal((await later.read(SIZE + 10, 10)).length, 0);
  assert.equal((await later.stat()).size, SIZE);
}

/** @type {(url: string, change: () => Promise<unknown>) => Promise<void>} */
async function noticesChange(url, change) {
  const source = prepare(url);
  await source.read(0, 10);
  await change();
  await assert.rejects(source.read(1000, 10), { code: 'CHANGED' });
}

test(
  'nginx',
  { skip: unless('nginx') },
  withFolders(async ({ files, work }) => {
    const { base, close } = await nginx(files, work);
    try {
      await readsWell(`${base}/files/model.cpb`);
      await readsWell(`${base}/gzip/model.cpb`);
      await assert.rejects(prepare(`${base}/page/model.cpb`).tail(1000), { code: 'RANGE' });
      const kept = prepare(`${base}/page/model.cpb`, { http: { maxWhole: SIZE } });
      assert.deepEqual((await kept.tail(1000)).bytes, bytesAt(SIZE - 1000, SIZE));
      assert.equal(kept.transferred.requests, 1);
      for (const suffix of [true, false]) {
        assert.equal((await prepare(`${base}/files/empty.cpb`, { http: { suffix } }).tail(1000)).size, 0);
      }
      await assert.rejects(prepare(`${base}/files/none`).stat(), { code: 'HTTP', status: 404 });
      const busy = prepare(`${base}/busy/`, { retry: { attempts: 3, base: 1 } });
      await assert.rejects(busy.stat(), { code: 'HTTP', status: 503, retryable: true });
      assert.equal(busy.transferred.requests, 3);
      await noticesChange(`${base}/files/model.cpb`, () => writeFile(join(files, 'model.cpb'), bytesAt(1, SIZE)));
    } finally {
      await close();
    }
  }),
);

test(
  'sirv, a static server for Node',
  { skip: unless('sirv') },
  withFolders(async ({ files }) => {
    const { default: sirv } = await import(String(npm('sirv')));
    const server = createServer(sirv(files, { dev: true, etag: true }));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    try {
      // It knows no suffix ranges: it gives the first bytes for the last.
      await readsWell(`http://127.0.0.1:${port}/model.cpb`, {}, 2);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }),
);

test(
  'versitygw, by signed requests and by signed URLs',
  { skip: unless('versitygw', 'aws4fetch') },
  withFolders(async ({ work }) => {
    const { AwsClient } = await import(String(npm('aws4fetch')));
    const { base, close } = await versitygw(work);
    try {
      const aws = new AwsClient({ ...credentials, retries: 0 });
      const url = `${base}/models/dir/a model.cpb`;
      assert.equal((await aws.fetch(`${base}/models`, { method: 'PUT' })).status, 200);
      assert.equal((await aws.fetch(url, { method: 'PUT', body: bytesAt(0, SIZE) })).status, 200);

      await readsWell(url, {
        fetch: (/** @type {string} */ target, /** @type {RequestInit} */ init) => aws.fetch(target, init),
      });

      /** @type {(options?: object) => Promise<string>} GET alone is signed */
      const signed = async (options) =>
        (await aws.sign(`${url}?X-Amz-Expires=600`, { aws: { signQuery: true, ...options } })).url;
      await readsWell(await signed());
      await assert.rejects(prepare(await signed({ datetime: '20260101T000000Z' })).stat(), {
        code: 'HTTP',
        status: 403,
        retryable: false,
        message: /expired/,
      });
      const wrong = await signed();
      await assert.rejects(prepare(wrong.replace(/.$/, (last) => (last === '0' ? '1' : '0'))).stat(), {
        code: 'HTTP',
        status: 403,
      });
      await assert.rejects(prepare(url).stat(), { code: 'HTTP', status: 403 });

      await noticesChange(await signed(), () => aws.fetch(url, { method: 'PUT', body: bytesAt(1, SIZE) }));
    } finally {
      await close();
    }
  }),
);

test(
  'slow, sliced and cut connections',
  { skip: unless('nginx', 'toxiproxy-server') },
  withFolders(async ({ files, work }) => {
    const server = await nginx(files, work);
    const proxy = await toxiproxy(server.base);
    const url = `${proxy.base}/files/model.cpb`;
    const quick = { retry: { base: 5 }, http: { timeout: 20_000 } };
    try {
      await each(
        [
          ['latency', { latency: 200, jitter: 100 }],
          ['bandwidth', { rate: 3000 }],
          ['slicer', { average_size: 700, size_variation: 300, delay: 10 }],
          ['slow_close', { delay: 300 }],
        ],
        ([type]) => String(type),
        async ([type, attributes]) => {
          await proxy.faults({ type: String(type), attributes: Object(attributes) });
          const source = prepare(url, quick);
          assert.equal((await source.tail(1000)).size, SIZE);
          const many = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((i) => source.read(i * 300_000, 20_000)));
          many.forEach((bytes, i) => assert.deepEqual(bytes, bytesAt(i * 300_000, i * 300_000 + 20_000)));
          const streamed = new Uint8Array(await new Response(source.stream(0, 1_000_000)).arrayBuffer());
          assert.deepEqual(streamed, bytesAt(0, 1_000_000));
          assert.ok(source.transferred.requests <= 10, `${type}: ${source.transferred.requests} requests`);
        },
      );

      await proxy.faults({ type: 'limit_data', attributes: { bytes: 1_200_000 } });
      const cut = prepare(url, quick);
      const streamed = new Uint8Array(await new Response(cut.stream(0, SIZE)).arrayBuffer());
      assert.deepEqual(streamed, bytesAt(0, SIZE));
      assert.equal(cut.transferred.requests, 3, 'a stream goes on where it was cut');
      const lost = prepare(url, quick);
      await assert.rejects(lost.read(0, 2_000_000), { code: 'NETWORK', retryable: true });
      assert.equal(lost.transferred.requests, 4);

      for (const [type, attributes, code] of /** @type {[string, object, string][]} */ ([
        ['timeout', { timeout: 0 }, 'TIMEOUT'],
        ['timeout', { timeout: 50 }, 'NETWORK'],
        ['reset_peer', { timeout: 0 }, 'NETWORK'],
      ])) {
        await proxy.faults({ type, attributes });
        const begun = Date.now();
        const dead = prepare(url, { retry: { base: 5 }, http: { timeout: 200 } });
        await assert.rejects(dead.stat(), { code, retryable: true }, type);
        assert.equal(dead.transferred.requests, 4);
        assert.ok(Date.now() - begun < 10_000, `${type} took ${Date.now() - begun} ms`);
      }
    } finally {
      await Promise.all([proxy.close(), server.close()]);
    }
  }),
);
