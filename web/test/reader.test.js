/** What opening and reading costs, in requests and bytes, and how calls end. */
// runtimes by default: node, bun, firefox
import { libcpb } from './support/libcpb.js';
import { largeCpb, largeModel, noise, sparse, split } from './support/files.js';
import { collect } from './support/stream.js';
import { assert, data, test } from './support/test.js';

const { open, CpbError } = libcpb;
const KiB = 1024,
  MiB = 2 ** 20;

test('a .cpb of 1 GB with 10,000 chunks opens with 2 requests, its metadata and 64 KiB', async () => {
  const content = Uint8Array.from({ length: 100_000 }, (_, i) => i * 7);
  const file = await largeCpb(10_000, 100_000, new Map([[5000, content]]));
  const message = await open(file.source);
  assert.equal(message.numChunks, 10_000);
  assert.equal(message.kind, 'cpb');
  const { requests, bytes } = file.since();
  console.log(`opened with ${requests} requests, ${bytes} bytes; metadata ${file.metadata.length}`);
  assert.ok(requests <= 2, `${file.log}`);
  assert.ok(bytes <= file.metadata.length + 64 * KiB, `${bytes} bytes`);

  const chunk = message.chunk(5000);
  const plan = await message.plan({ chunks: [5000] });
  assert.deepEqual(await chunk.bytes(), content);
  const { positions } = file;
  const stored = Number(positions[5001]) - Number(positions[5000]);
  assert.deepEqual(file.since(), { requests: 1, bytes: stored });
  assert.deepEqual(plan, {
    requests: 1,
    bytes: stored,
    ranges: [{ offset: positions[5000], length: stored }],
  });
  message.close();
});

test('small chunks whose sizes are not trusted are opened together', async () => {
  const content = new Uint8Array(100).map((_, i) => (i % 2 ? 1 : 8));
  /** @type {Map<number, Uint8Array>} */
  const contents = new Map(Array.from({ length: 2000 }, (_, i) => [i, content]));
  const file = await largeCpb(2000, 100, contents);
  const message = await open(file.source, { trustSizes: false });
  file.since();
  assert.equal((await message.field('1')).number, 1);
  const { requests } = file.since();
  assert.ok(requests < 50, `${requests} requests`);
  message.close();
});

test('the nodes of a plain 1 GB model are listed with less than 1 % of it', async () => {
  const file = largeModel(1000, MiB);
  const message = await open(file.source, { type: 'tensorflow.SavedModel' });
  const nodes = await message.field('meta_graphs[0].graph_def.node');
  let count = 0;
  for await (const node of nodes.elements()) {
    const json = await node.json({ omit: 1024 });
    assert.equal(json.name, `layer_${count++}/kernel`);
    assert.equal(json.attr.value.tensor.tensor_content['@omitted'].size, MiB);
  }
  assert.equal(count, 1000);
  const { requests, bytes } = file.since();
  console.log(`1000 nodes listed with ${requests} requests, ${bytes} bytes`);
  assert.ok(bytes < (1000 * MiB) / 100, `${bytes}`);
  assert.ok(requests <= 1100, `${requests}`);
  message.close();
});

/** A model of 4 MB; every fourth tensor can be compressed. */
async function model() {
  const content = (/** @type {number} */ i) => (i % 4 ? noise(100_000, i + 1) : undefined);
  const file = largeModel(40, 100_000, content);
  return file.source.read(0, 2 ** 30);
}

/** @param {Uint8Array} bytes @param {object} [options] */
async function remote(bytes, options) {
  const { size, pieces } = await split(bytes, options);
  return sparse(size, pieces);
}

test('merged() is the original and costs what plan() says', async () => {
  const original = await model();
  const file = await remote(original);
  const message = await open(file.source);
  file.since();
  const plan = await message.plan({ merged: true });
  assert.deepEqual(file.since(), { requests: 0, bytes: 0 });
  const merged = await collect(message.merged());
  assert.deepEqual(merged, original);
  const cost = file.since();
  console.log('merged', cost, 'plan', plan.requests, plan.bytes, 'file', message.size);
  assert.equal(cost.requests, plan.requests);
  assert.ok(cost.bytes <= plan.bytes && cost.bytes > plan.bytes - 64 * KiB);
  assert.equal(await message.messageSize(), original.length);
  message.close();
});

test('ranges of the merged message are those of the original, many at once', async () => {
  const original = await model();
  const file = await remote(original);
  const message = await open(file.source);
  const ranges = Array.from({ length: 60 }, (_, i) => [i * 67_000, 1 + i * 997]);
  await Promise.all(
    ranges.map(async ([offset, length]) => {
      const bytes = await message.read(Number(offset), Number(length));
      assert.deepEqual(bytes, original.slice(Number(offset), Number(offset) + Number(length)), `${offset}+${length}`);
    }),
  );
  const part = new Uint8Array(await new Response(message.merged({ offset: 1_234_567, length: 500_000 })).arrayBuffer());
  assert.deepEqual(part, original.slice(1_234_567, 1_734_567));
  message.close();
});

test('a field of a .cpb costs the chunks that it touches, as plan() says', async () => {
  const original = await model();
  const file = await remote(original);
  const message = await open(file.source, { type: 'tensorflow.SavedModel' });
  const path = 'meta_graphs[0].graph_def.node[7].attr["value"].tensor.tensor_content';
  const plan = await message.plan({ field: path });
  const before = file.since();
  const field = await message.field(path);
  const value = await field.value();
  assert.equal(value.length, 100_000);
  const [range] = field.ranges;
  assert.deepEqual(value, original.slice(range.offset, range.offset + range.length));
  const cost = file.since();
  console.log('a tensor', cost, 'plan', plan.requests, plan.bytes, 'finding it', before);
  assert.deepEqual({ requests: plan.requests, bytes: plan.bytes }, cost);
  message.close();
});

test('chunks asked for at once are joined as plan() says', async () => {
  const file = await remote(await model());
  const message = await open(file.source);
  const chunks = [1, 2, 3, 10, 20, 21];
  const plan = await message.plan({ chunks });
  file.since();
  const all = await Promise.all(chunks.map((i) => message.chunk(i).bytes()));
  assert.deepEqual(
    all.map(({ length }) => length),
    chunks.map((i) => message.chunk(i).size),
  );
  const cost = file.since();
  console.log('chunks', cost, 'plan', plan.requests, plan.bytes);
  assert.deepEqual({ requests: plan.requests, bytes: plan.bytes }, cost);
  assert.equal(plan.requests, 3);
  message.close();
});

test('the same questions get the same answers of a .pb and of a .cpb', async () => {
  const original = await model();
  const file = await remote(original);
  const messages = [await open(file.source), await open(original)];
  assert.deepEqual(
    messages.map(({ kind }) => kind),
    ['cpb', 'pb'],
  );
  for (const path of [
    '',
    'meta_graphs[0].graph_def.node[3].name',
    'meta_graphs[0].graph_def.node',
    'meta_graphs[0].graph_def.node[39]',
    'meta_graphs[0].graph_def.node[3].attr',
    'saved_model_schema_version',
    'meta_graphs[0].graph_def.node[5].attr["value"].tensor.tensor_shape.dim[0].size',
  ]) {
    const [a, b] = await Promise.all(messages.map((m) => m.field(path)));
    for (const key of ['path', 'name', 'type', 'typeName', 'number', 'size', 'repeated', 'ranges']) {
      assert.deepEqual(a[key], b[key], `${path} ${key}`);
    }
    assert.deepEqual(await a.json({ omit: 100 }), await b.json({ omit: 100 }), path);
    assert.deepEqual(await a.bytes(), await b.bytes(), path);
    assert.deepEqual(new Uint8Array(await new Response(a.stream()).arrayBuffer()), await b.bytes(), path);
  }
  const listed = await Promise.all(
    messages.map(async (m) => {
      const nodes = [];
      for await (const node of (await m.field('meta_graphs[0].graph_def.node')).elements()) {
        nodes.push([node.path, node.size, await node.json({ omit: 1024 })]);
      }
      return nodes;
    }),
  );
  assert.equal(listed[0]?.length, 40);
  assert.deepEqual(listed[0], listed[1]);
  const [field] = await Promise.all(messages.map((m) => m.field('meta_graphs[0]')));
  assert.equal(await (await field.field('graph_def.node[3].name')).value(), 'layer_3/kernel');
  assert.equal((await field.field('graph_def.node[3].name')).path, 'meta_graphs[0].graph_def.node[3].name');
  assert.equal(await (await messages[1].field('saved_model_schema_version')).value(), 1n);
  messages.forEach((m) => m.close());
});

test('a field that is not there, a path that is none, a name without a type', async () => {
  const message = await open(await model());
  await assert.rejects(message.field('meta_graphs[5]'), { code: 'NOT_FOUND' });
  await assert.rejects(message.field('nothing'), { code: 'NOT_FOUND' });
  await assert.rejects(message.field('a..b'), { code: 'USAGE' });
  await assert.rejects(open(await model(), { type: 'no.Such' }), { code: 'USAGE' });
  assert.throws(() => message.chunk(0), { code: 'NOT_FOUND' });
  message.close();
});

test('a large tensor of a .cpb streams from its chunk, without the rest of the file', async () => {
  const content = noise(12 * MiB, 9);
  const whole = largeModel(3, content.length, (i) => (i === 1 ? content : undefined));
  const file = await remote(await whole.source.read(0, 2 ** 30));
  const message = await open(file.source);
  const field = await message.field('meta_graphs[0].graph_def.node[1].attr["value"].tensor.tensor_content');
  file.since();
  const streamed = new Uint8Array(await new Response(field.stream()).arrayBuffer());
  assert.deepEqual(streamed, content);
  const { requests, bytes } = file.since();
  console.log('12 MiB streamed', requests, bytes);
  assert.ok(requests <= 2 && bytes < content.length * 1.01, `${requests} ${bytes}`);
  const [{ offset }] = field.ranges;
  const around = message.merged({ offset: offset - 100, length: 10 * MiB });
  const part = new Uint8Array(await new Response(around).arrayBuffer());
  assert.deepEqual(part.subarray(100), content.subarray(0, 10 * MiB - 100));
  message.close();
});

/* --- Ends ---------------------------------------------------------------------- */

/** @param {import('../src/types.js').Source} source */
function stalling(source) {
  let stalls = false;
  return {
    stall: (/** @type {boolean} */ on) => (stalls = on),
    source: {
      ...source,
      remote: false,
      stream: undefined,
      read: (/** @type {number} */ o, /** @type {number} */ n) => (stalls ? new Promise(() => {}) : source.read(o, n)),
    },
  };
}

test('an abort rejects at once with the reason, and the file can be read on', async () => {
  const original = await model();
  const { source, stall } = stalling((await remote(original)).source);
  const message = await open(source);
  const begun = [
    (/** @type {any} */ o) => message.chunk(3).bytes(o),
    (/** @type {any} */ o) => collect(message.chunk(3).stream(o)),
    (/** @type {any} */ o) => message.messageSize(o),
    (/** @type {any} */ o) => message.read(0, 1000, o),
    (/** @type {any} */ o) => message.field('meta_graphs', o),
    (/** @type {any} */ o) => collect(message.merged(o)),
  ];
  stall(true);
  for (const begin of begun.filter((_, i) => ![2, 3, 4].includes(i))) {
    const controller = new AbortController();
    const promise = begin({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await assert.rejects(promise, /enough/, String(begin));
  }
  stall(false);
  assert.deepEqual(await message.read(0, 1000), original.slice(0, 1000));
  assert.equal((await message.chunk(3).bytes()).length, message.chunk(3).size);
  for (const begin of begun) await assert.rejects(begin({ signal: AbortSignal.abort(new Error('no')) }), /no/);
  message.close();
});

test('one that is aborted while it waits for a plan does not end it for others', async () => {
  const original = await model();
  const file = await remote(original);
  const message = await open({
    ...file.source,
    remote: false,
    stream: undefined,
    read: async (/** @type {number} */ o, /** @type {number} */ n) => {
      await new Promise((done) => setTimeout(done, 10));
      return file.source.read(o, n);
    },
  });
  const controller = new AbortController();
  const first = message.messageSize({ signal: controller.signal });
  const second = message.messageSize();
  setTimeout(() => controller.abort(), 1);
  await assert.rejects(first, { name: 'AbortError' });
  assert.equal(await second, original.length);
  message.close();
});

test('an error of the source is thrown unchanged, and the same call works later', async () => {
  const original = await model();
  const { source } = await remote(original);
  let broken = false;
  const message = await open({
    ...source,
    remote: false,
    stream: undefined,
    read: async (/** @type {number} */ o, /** @type {number} */ n) => {
      if (broken) throw new CpbError('NETWORK', 'gone');
      return source.read(o, n);
    },
  });
  broken = true;
  await assert.rejects(message.messageSize(), { code: 'NETWORK', message: 'gone' });
  await assert.rejects(message.chunk(4).bytes(), { code: 'NETWORK' });
  await assert.rejects(message.field('meta_graphs[0]'), { code: 'NETWORK' });
  broken = false;
  assert.equal(await message.messageSize(), original.length);
  broken = true;
  await assert.rejects(message.read(0, 4_000_000), { code: 'NETWORK' });
  broken = false;
  assert.deepEqual(await message.read(0, 4_000_000), original.slice(0, 4_000_000));
  message.close();
});

test('after close each call rejects with CLOSED, also one that is under way', async () => {
  const file = await remote(await model());
  const message = await open(file.source);
  const field = await message.field('meta_graphs[0]');
  const chunk = message.chunk(1);
  const underWay = message.chunk(5).bytes();
  message.close();
  message.close();
  await assert.rejects(underWay, { code: 'CLOSED' });
  for (const call of [
    () => message.messageSize(),
    () => message.field(''),
    () => message.read(0, 1),
    () => message.plan({ merged: true }),
    () => chunk.bytes(),
    () => chunk.read(0, 1),
    () => chunk.stored(),
    () => field.json(),
    () => field.field('graph_def'),
    () => collect(chunk.stream()),
  ]) {
    await assert.rejects(call, { code: 'CLOSED' }, String(call));
  }
  for (const call of [() => message.chunk(0), () => message.tree(), () => message.merged()]) {
    assert.throws(call, { code: 'CLOSED' }, String(call));
  }
});

test('a wrong hash: bytes() rejects, stream() errors, unless nothing is verified', async () => {
  const original = await model();
  const { size, pieces } = await split(original);
  const bytes = await sparse(size, pieces).source.read(0, size);
  const whole = await open(bytes);
  const { begin, end } = await whole.chunk(7).stored();
  whole.close();
  for (const at of [end - 1000, begin + 5000]) bytes[at] = Number(bytes[at]) ^ 1;
  const message = await open(bytes);
  await assert.rejects(message.chunk(7).bytes(), { code: 'DAMAGED' });
  await assert.rejects(collect(message.chunk(7).stream()), { code: 'DAMAGED' });
  const found = await message.chunk(7).bytes({ verify: 'never' });
  assert.equal(found.length, message.chunk(7).size);
  assert.equal((await message.chunk(8).bytes()).length, message.chunk(8).size);
  await assert.rejects(collect(message.merged()), { code: 'DAMAGED' });
  message.close();
  const strict = await open(bytes, { verify: 'first' });
  await assert.rejects(strict.chunk(7).read(0, 10), { code: 'DAMAGED' });
  strict.close();
});

test('a range of a chunk, and where it is stored', async () => {
  const file = await remote(await model());
  const message = await open(file.source);
  const chunk = message.chunk(7);
  const all = await chunk.bytes();
  for (const [offset, length] of [
    [0, 10],
    [50_000, 100],
    [99_999, 100],
    [100_000, 5],
    [2 ** 40, 1],
    [3, Infinity],
  ]) {
    assert.deepEqual(
      await chunk.read(Number(offset), Number(length)),
      all.slice(Number(offset), Number(offset) + Number(length)),
    );
  }
  const { size, begin, end, codec, transposed, records } = await chunk.stored();
  assert.deepEqual([size, codec, transposed, records], [all.length, 'none', false, 1]);
  assert.equal(begin, chunk.position);
  assert.equal(end, message.chunk(8).position);
  assert.equal((await chunk.blob()).size, all.length);
  await assert.rejects(chunk.read(-1, 5), { code: 'USAGE' });
  assert.throws(() => message.chunk(1e9), { code: 'NOT_FOUND' });
  assert.throws(() => message.chunk(-1), { code: 'NOT_FOUND' });
  assert.equal([...message.chunks()].length, message.numChunks);
  message.close();
});

test('a Riegeli file that is not chunked is FORMAT; a .pb said to be a .cpb is an error, too', async () => {
  await assert.rejects(open(await data('tests/data/records/simple_zstd.riegeli')), {
    code: 'FORMAT',
  });
  await assert.rejects(open(await model(), { format: 'cpb' }), CpbError);
});

test('a file of another format is refused, whatever its end looks like', async () => {
  const text = new TextEncoder().encode('text');
  for (const size of [4, 100, 65546, 300_000]) {
    const bytes = new Uint8Array(size).fill(32);
    bytes.set(text);
    const error = await assert.rejects(open(bytes, { format: 'cpb' }), { code: 'FORMAT' });
    assert.match(error.message, /not a Riegeli\/records file: it begins with "text/);
    assert.equal(error.offset, 0);
  }
  const none = await assert.rejects(open(new Uint8Array(), { format: 'cpb' }), { code: 'FORMAT' });
  assert.match(none.message, /the file is empty/);
});

test('thousands of files one after another leave the memory as it was', async () => {
  const file = await remote(await model());
  const bytes = await file.source.read(0, 2 ** 30);
  for (let i = 0; i < 300; i++) {
    const message = await open(bytes);
    if (i % 10 === 0) await message.chunk(1).bytes();
    message.close();
  }
});
