/** A page in Chromium and servers of another origin, set up as the README says, and otherwise. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './runtimes/files.js';
import { startServer } from './runtimes/server.js';
import { nginx } from './servers/nginx.js';
import { find } from './servers/start.js';
import { credentials, versitygw } from './servers/versitygw.js';
import { openPage } from './support/chromium.js';
import { assert, test } from './support/test.js';

const readme = await readFile(`${root}docs/javascript.md`, 'utf8');
const CPB = `${root}tests/data/cpb/real_keras_export/max3000_none.cpb`;
const FIELD = 'meta_graphs[0].meta_info_def.tags';
const APP = 'https://app.example';

/** The block of code of a kind with this in it. @type {(kind: string, part: string) => string} */
const block = (kind, part) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, code]) => String(code))
    .find((code) => code.includes(part)) ?? '';

const rules = block('xml', '<CORSConfiguration>');

/** @type {(...names: string[]) => string | false} */
const unless = (...names) =>
  names.every(find) ? false : `no ${names.filter((name) => !find(name))}: run web/test/setup.sh`;

/**
 * A page of an origin of its own; `read` opens a model there and tells what came of it.
 *
 * @param {(page: { origin: string, read: (url: string, http?: object) => Promise<any> },
 *   work: string) => Promise<void>} act
 */
async function withPage(act) {
  const work = await mkdtemp(join(tmpdir(), 'cpb-cors-'));
  const server = await startServer({
    handlers: {
      '/-/page': (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>page</title>'),
    },
  });
  const browser = await openPage(`${server.base}/-/page`);
  /** @type {(url: string, http?: object) => Promise<any>} */
  const read = (url, http) =>
    browser.evaluate(`(async () => {
      const { open } = await import('/web/src/index.js');
      try {
        const model = await open(${JSON.stringify(url)}, {
          http: ${JSON.stringify(http)}, retry: { attempts: 1 },
        });
        const value = await (await model.field('${FIELD}')).value();
        const { size, transferred: { requests } } = model;
        model.close();
        return { value, size, requests };
      } catch ({ name, code, message }) {
        return { name, code, message };
      }
    })()`);
  try {
    await browser.until('document.title === "page"');
    await act({ origin: server.base, read }, work);
  } finally {
    await browser.close();
    server.close();
    await rm(work, { recursive: true, force: true });
  }
}

/** @param {any} found of which nothing is missing */
function isRead({ value, size, requests, message }) {
  assert.deepEqual(value, ['serve'], message);
  assert.ok(size > 3000 && requests <= 8, `${size} bytes, ${requests} requests`);
}

/** @param {any} found @param {string} code @param {RegExp} advice */
function isRefused(found, code, advice) {
  assert.deepEqual([found.name, found.code], ['CpbError', code], found.message);
  assert.match(found.message, advice);
}

const notAllowed = /CORS.*Access-Control-Allow-Origin.*Access-Control-Allow-Headers: Range/;
const notExposed = /Access-Control-Expose-Headers: Content-Range, ETag/;

test('nginx as the README says; without its headers the error names CORS', { skip: unless('nginx', 'chromium') }, () =>
  withPage(async ({ origin, read }, work) => {
    const files = join(work, 'files');
    await mkdir(files);
    await writeFile(join(files, 'model.cpb'), await readFile(CPB));
    const said = block('nginx', 'location /models/').replace(APP, origin);
    const at = (/** @type {string} */ place, /** @type {string} */ location) =>
      location.replace('location /models/ {', `location /${place}/ { alias ${files}/;`);
    /** @param {RegExp} header */
    const without = (header) =>
      said
        .split('\n')
        .filter((line) => !header.test(line))
        .join('\n');
    const { base, close } = await nginx(files, join(work, 'nginx'), [
      at('models', said),
      at('other', said.replace(origin, APP)),
      at('hidden', without(/Expose-Headers/)),
      at('simple', without(/Allow-Headers/)),
    ]);
    const custom = { headers: { 'X-Custom': '1' } };
    try {
      isRead(await read(`${base}/models/model.cpb`));
      isRead(await read(`${base}/simple/model.cpb`));
      isRefused(await read(`${base}/files/model.cpb`), 'NETWORK', notAllowed);
      isRefused(await read(`${base}/other/model.cpb`), 'NETWORK', notAllowed);
      isRefused(await read(`${base}/hidden/model.cpb`), 'RANGE', notExposed);
      // These ask first: with a suffix it is allowed, with another header it is not.
      isRead(await read(`${base}/models/model.cpb`, { suffix: true }));
      isRefused(await read(`${base}/simple/model.cpb`, { suffix: true }), 'NETWORK', notAllowed);
      isRefused(await read(`${base}/models/model.cpb`, custom), 'NETWORK', notAllowed);
    } finally {
      await close();
    }
  }),
);

test(
  "a bucket with the README's rules is read by a signed URL; without, the error names CORS",
  { skip: unless('versitygw', 'chromium') },
  () =>
    withPage(async ({ origin, read }, work) => {
      const aws4fetch = createRequire(new URL('./servers/', import.meta.url)).resolve('aws4fetch');
      const { AwsClient } = await import(aws4fetch);
      const { base, close } = await versitygw(join(work, 'versitygw'));
      const aws = new AwsClient({ ...credentials, retries: 0 });
      const model = `${base}/models/model.cpb`;
      /** @param {string} url @param {any} body */
      const put = async (url, body) => {
        const md5 = createHash('md5')
          .update(body ?? '')
          .digest('base64');
        const answer = await aws.fetch(url, { method: 'PUT', body, headers: { 'Content-MD5': md5 } });
        assert.equal(answer.status, 200, await answer.text());
      };
      const signed = async () => (await aws.sign(`${model}?X-Amz-Expires=600`, { aws: { signQuery: true } })).url;
      try {
        await put(`${base}/models`, undefined);
        await put(model, await readFile(CPB));
        isRefused(await read(await signed()), 'NETWORK', notAllowed);

        await put(`${base}/models?cors`, rules);
        isRefused(await read(await signed()), 'NETWORK', notAllowed);

        await put(`${base}/models?cors`, rules.replace(APP, origin));
        isRead(await read(await signed()));
        isRead(await read(await signed(), { suffix: true }));

        const hidden = rules.replace(APP, origin).replace(/<ExposeHeader>.*?<\/ExposeHeader>\s*/g, '');
        await put(`${base}/models?cors`, hidden);
        isRefused(await read(await signed()), 'RANGE', notExposed);
      } finally {
        await close();
      }
    }),
);

test("the README's settings for each store say the same", () => {
  const json = (/** @type {string} */ part) => JSON.parse(block('json', part));
  const [s3] = json('"CORSRules"').CORSRules;
  const [r2] = json('"allowed"').rules;
  const [gcs] = json('"responseHeader"');
  const [xml, azure] = [rules, block('xml', '<CorsRule>')].map(
    (text) => (/** @type {string} */ tag) =>
      [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'g'))].flatMap(([, value]) => value?.split(',')),
  );
  const command = (/** @type {string} */ option) =>
    new RegExp(`--${option} '?([^' ]+)`).exec(block('sh', 'az storage cors'))?.[1]?.split(',');
  const wanted = {
    origins: [APP],
    headers: ['Range'],
    exposed: ['Content-Range', 'ETag', 'Retry-After'],
    age: 3600,
  };
  const both = [...wanted.headers, ...wanted.exposed];
  assert.deepEqual(s3, {
    AllowedOrigins: wanted.origins,
    AllowedMethods: ['GET'],
    AllowedHeaders: wanted.headers,
    ExposeHeaders: wanted.exposed,
    MaxAgeSeconds: wanted.age,
  });
  assert.deepEqual(r2, {
    allowed: { origins: wanted.origins, methods: ['GET'], headers: wanted.headers },
    exposeHeaders: wanted.exposed,
    maxAgeSeconds: wanted.age,
  });
  assert.deepEqual([gcs.origin, gcs.method, gcs.maxAgeSeconds], [wanted.origins, ['GET'], wanted.age]);
  assert.ok(both.every((name) => gcs.responseHeader.includes(name)));
  assert.deepEqual(
    [
      xml?.('AllowedOrigin'),
      xml?.('AllowedMethod'),
      xml?.('AllowedHeader'),
      xml?.('ExposeHeader'),
      xml?.('MaxAgeSeconds'),
    ],
    [wanted.origins, ['GET'], wanted.headers, wanted.exposed, ['3600']],
  );
  assert.deepEqual(
    [
      azure?.('AllowedOrigins'),
      azure?.('AllowedMethods'),
      azure?.('AllowedHeaders'),
      azure?.('ExposedHeaders'),
      azure?.('MaxAgeInSeconds'),
    ],
    [wanted.origins, ['GET', 'OPTIONS'], ['range'], wanted.exposed, ['3600']],
  );
  assert.deepEqual(
    [command('origins'), command('allowed-headers'), command('exposed-headers')],
    [wanted.origins, ['range'], wanted.exposed],
  );
});
