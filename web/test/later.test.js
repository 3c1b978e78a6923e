/** What is loaded when a file is read on: what came before is not asked for again. */
import { meter } from '../src/middleware/meter.js';
import { urlLater } from '../src/source/first-url.js';
import { layeredLater } from '../src/source/later.js';
import { counted } from './support/http.js';
import './support/libcpb.js'; // sets up what tells why servers refuse
import { FILE_SIZE, bytesAt } from './support/lies.js';
import { assert, base, each, other, runtime, test } from './support/test.js';

const browser = ['chromium', 'firefox', 'webkit'].includes(runtime);

/** A URL as a page opens it, and how often more code was asked for. @param {string} path @param {object} [http] */
function begin(path, http = {}, origin = base) {
  let loads = 0;
  const load = () => (loads++, import('../src/source/layers.js'));
  const { url, report } = counted(path, origin);
  const usage = meter();
  const source = urlLater(load)(url, http, usage);
  const layered = layeredLater(load)(source, { retry: { base: 0 } }, usage, true);
  return { layered, report, loads: () => loads, cost: usage.cost };
}

/** @param {ReturnType<typeof begin>} begun */
const ranges = async ({ report }) => (await report()).log.map(({ range }) => range);

test('the end and the size load nothing, and are not asked for again', async () => {
  const begun = begin('/-/lie/honest');
  const { layered, loads, cost } = begun;
  assert.deepEqual((await layered.tail(100)).bytes, bytesAt(FILE_SIZE - 100, FILE_SIZE));
  const { size, etag } = await layered.stat();
  assert.deepEqual([size, loads()], [FILE_SIZE, 0]);
  const at = FILE_SIZE - 50;
  assert.deepEqual(await layered.read(at, 20), bytesAt(at, at + 20));
  assert.deepEqual(await layered.read(1000, 20), bytesAt(1000, 1020));
  assert.deepEqual(await layered.stat(), { size, etag });
  assert.equal((await ranges(begun))[0], 'bytes=-100');
  assert.equal(cost.requests, 2);
});

test('the end is found by its offset where the last bytes cannot be asked for', () =>
  each(
    [100, FILE_SIZE - 50, FILE_SIZE + 50],
    (length) => `${length} bytes`,
    async (length) => {
      const begun = begin('/-/lie/honest', { suffix: false });
      const { size, bytes } = await begun.layered.tail(length);
      const from = Math.max(0, FILE_SIZE - length);
      assert.equal(size, FILE_SIZE);
      assert.deepEqual(bytes, bytesAt(from, FILE_SIZE));
      assert.deepEqual(await ranges(begun), ['bytes=0-4095', `bytes=${Math.max(4096, from)}-${FILE_SIZE - 1}`]);
      assert.equal(begun.loads(), 0);
      assert.equal(begun.cost.requests, 2);
    },
  ));

test('code that is loaded on demand judges a wrong response, without another request', () =>
  each(
    [
      ['whole', null, 1],
      ['404', { code: 'HTTP', status: 404, message: /not found/ }, 1],
      ['no-content-range', { code: 'RANGE', message: /without Content-Range/ }, 1],
      ['encoded', { code: /RANGE|NETWORK/ }, browser ? 5 : 1],
      ['more', { code: /RANGE|NETWORK/ }, browser ? 5 : 1],
      ['fewer', { code: 'NETWORK', message: /990 of the 1000/ }, 4],
      ['fewer-once', null, 2],
      ['cut-once', null, 2],
      ['suffix-416', null, 3],
      ['suffix-as-head', null, 3],
      ['200-range', null, 1],
    ],
    ([fault]) => String(fault),
    async ([fault, error, most]) => {
      const begun = begin(`/-/lie/${fault}`);
      const asked = begun.layered.tail(1000);
      if (error) await assert.rejects(asked, /** @type {object} */ (error));
      else assert.deepEqual((await asked).bytes, bytesAt(FILE_SIZE - 1000, FILE_SIZE));
      assert.equal((await ranges(begun)).length, begun.cost.requests);
      assert.ok(begun.cost.requests <= Number(most), `${begun.cost.requests} requests`);
    },
  ));

test('a change between the first two ranges is told', async () => {
  const begun = begin('/-/lie/etag-changes', { suffix: false });
  await assert.rejects(begun.layered.tail(1000), { code: 'CHANGED' });
  begun.layered.reset();
  assert.equal((await begun.layered.tail(1000)).etag, '"two"');
});

test(
  'another origin gets no range that takes a preflight',
  { skip: !browser && 'only browsers send any' },
  async () => {
    const begun = begin('/-/lie/honest', {}, other);
    assert.equal((await begun.layered.tail(1000)).bytes.length, 1000);
    for (const range of await ranges(begun)) assert.match(String(range), /^bytes=\d+-/);
  },
);

test('an aborted request is made again', async () => {
  const { layered, loads } = begin('/-/lie/honest');
  const controller = new AbortController();
  const waiting = layered.tail(100, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  assert.equal((await layered.tail(100)).size, FILE_SIZE);
  assert.equal(loads(), 0);
});
