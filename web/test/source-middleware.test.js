/** What goes around a source: each adds one thing and is exact about it. */
import { CpbError } from '../src/errors.js';
import { budget } from '../src/middleware/budget.js';
import { cache } from '../src/middleware/cache.js';
import { check } from '../src/middleware/check.js';
import { coalesce } from '../src/middleware/coalesce.js';
import { join } from '../src/middleware/join.js';
import { compose } from '../src/middleware/layer.js';
import { cacheStore, opfsStore, persist } from '../src/middleware/persist.js';
import { retry } from '../src/middleware/retry.js';
import { slots } from '../src/middleware/shared.js';
import { fake, settle } from './support/fakes.js';
import { bytesAt } from './support/lies.js';
import { assert, each, runtime, test } from './support/test.js';

/** @type {(source: any, offset: number, length: number, options?: any) => Promise<void>} */
async function reads(source, offset, length, options) {
  assert.deepEqual((await source.read(offset, length, options)).slice(), bytesAt(offset, offset + length));
}

const passing = () => new CpbError('NETWORK', 'broken', { retryable: true });

test('compose puts the first innermost', () => {
  /** @type {string[]} */
  const order = [];
  const named = (/** @type {string} */ name) => (/** @type {any} */ source) => (order.push(name), source);
  compose(fake().source, named('a'), named('b'));
  assert.deepEqual(order, ['a', 'b']);
});

test('check continues short reads, a few times, and knows the end', async () => {
  const { source, log } = fake({ answer: (n, offset) => (n < 3 ? bytesAt(offset, offset + 4) : undefined) });
  await reads(check()(source), 0, 20);
  assert.deepEqual(
    log.filter((line) => line !== 'stat'),
    ['read 0+20', 'read 4+16', 'read 8+12'],
  );
  assert.deepEqual(await check()(fake().source).read(990, 50), bytesAt(990, 1000));
  const miser = fake({ answer: (_, offset) => bytesAt(offset, offset + 1) });
  await assert.rejects(check()(miser.source).read(0, 50), { code: 'READ', offset: 5 });
});

test('check refuses what was not asked for', () =>
  each(
    [
      ['more', bytesAt(0, 21)],
      ['no bytes', /** @type {any} */ ('0123456789')],
      ['nothing', /** @type {any} */ (null)],
    ],
    ([name]) => String(name),
    async ([, bytes]) => {
      const source = { read: async () => bytes, stat: async () => ({ size: 1000 }) };
      await assert.rejects(check()(source).read(0, 20), { code: 'READ' });
    },
  ));

test('check makes plain bytes of whatever view it gets', async () => {
  const whole = bytesAt(0, 100);
  const source = {
    read: async () => /** @type {any} */ (new DataView(whole.buffer, 10, 20)),
    stat: async () => ({ size: 1000 }),
  };
  await reads(check()(source), 10, 20);
});

test('retry repeats what may pass, and nothing else', async () => {
  /** @type {number[]} */
  const pauses = [];
  const options = {
    base: 100,
    max: 350,
    jitter: () => 1,
    sleep: async (/** @type {number} */ ms) => void pauses.push(ms),
  };
  const twice = fake({
    answer: (n) => {
      if (n <= 3) throw passing();
      return undefined;
    },
  });
  await reads(retry(options)(twice.source), 0, 10);
  assert.equal(twice.log.length, 4);
  assert.deepEqual(pauses, [100, 200, 350]);
  const ever = fake({
    answer: () => {
      throw passing();
    },
  });
  await assert.rejects(retry(options)(ever.source).read(0, 10), { code: 'NETWORK' });
  assert.equal(ever.log.length, 4);
  const final = fake({
    answer: () => {
      throw new CpbError('RANGE', 'no');
    },
  });
  await assert.rejects(retry(options)(final.source).read(0, 10), { code: 'RANGE' });
  assert.equal(final.log.length, 1);
  const foreign = fake({
    answer: () => {
      throw new Error('bug');
    },
  });
  await assert.rejects(retry(options)(foreign.source).read(0, 10), { message: 'bug' });
  assert.equal(foreign.log.length, 1);
});

test('retry draws its pauses evenly from zero up', async () => {
  /** @type {number[]} */
  const pauses = [];
  const source = fake({
    answer: () => {
      throw passing();
    },
  }).source;
  const shaky = retry({ attempts: 200, base: 1, max: 1000, sleep: async (ms) => void pauses.push(ms) })(source);
  await assert.rejects(shaky.read(0, 1), { code: 'NETWORK' });
  const late = pauses.slice(20);
  assert.ok(Math.min(...late) < 150 && Math.max(...late) > 850 && Math.max(...late) <= 1000);
});

test('retry waits as long as it is told, unless that is too long', async () => {
  /** @type {number[]} */
  const pauses = [];
  const told = (/** @type {number} */ retryAfter) =>
    fake({
      answer: (n) => {
        if (n === 1) throw new CpbError('HTTP', 'busy', { retryable: true, retryAfter });
        return undefined;
      },
    }).source;
  const again = retry({ max: 5000, sleep: async (ms) => void pauses.push(ms) });
  await reads(again(told(5000)), 0, 1);
  assert.deepEqual(pauses, [5000]);
  await assert.rejects(again(told(5001)).read(0, 1), { retryAfter: 5001 });
});

/**
 * A source that answers once, and is gone for so long then, in a time of its own.
 *
 * @param {number} ms @param {any} [options]
 */
function gone(ms, { error = new CpbError('NETWORK', 'no response', { retryable: true }), answers = true } = {}) {
  let time = 0;
  const { source, log } = fake({
    answer: (n) => {
      if ((n > 1 || !answers) && time < ms) throw error;
      return undefined;
    },
  });
  return { source, log, options: { sleep: async (/** @type {number} */ pause) => void (time += pause) } };
}

test('a server that answered before is waited for, within a bound', async () => {
  for (const jitter of [() => 0, () => 1, Math.random]) {
    const away = gone(5000);
    const from = retry({ ...away.options, jitter })(away.source);
    await reads(from, 0, 10);
    await reads(from, 100, 10);
    assert.ok(away.log.length <= 2 + 5000 / 250, `${away.log.length} requests`);
  }
  const streamed = gone(5000);
  const { source } = streamed;
  source.stream = (offset, length) =>
    new ReadableStream({
      async start(to) {
        to.enqueue(await source.read(offset, length));
        to.close();
      },
    });
  const from = retry(streamed.options)(source);
  await reads(from, 0, 10);
  const bytes = await new Response(/** @type {any} */ (from).stream(5, 10)).arrayBuffer();
  assert.deepEqual(new Uint8Array(bytes), bytesAt(5, 15));
  const expect = async (
    /** @type {ReturnType<typeof gone>} */ away,
    /** @type {any} */ options,
    /** @type {number} */ most,
  ) => {
    const late = retry({ ...away.options, jitter: () => 1, ...options })(away.source);
    await late.read(0, 10).catch(() => {});
    await assert.rejects(late.read(0, 10), { code: 'NETWORK' });
    assert.ok(away.log.length <= most, `${away.log.length} requests`);
  };
  await expect(gone(Infinity), {}, 1 + 8);
  await expect(gone(Infinity), { patience: 0 }, 1 + 4);
  await expect(gone(Infinity), { attempts: 1 }, 1 + 1);
  await expect(gone(Infinity, { answers: false }), {}, 4 + 4);
  const broken = new CpbError('NETWORK', 'broke off', { retryable: true, status: 206 });
  await expect(gone(Infinity, { error: broken }), {}, 1 + 4);
});

test(
  'a browser that is offline waits until it is online',
  { skip: runtime === 'workerd' && 'its navigator stays' },
  async () => {
    const { navigator } = globalThis;
    const mock = { onLine: false };
    Object.defineProperty(globalThis, 'navigator', { value: mock, configurable: true });
    const target = new EventTarget();
    const { addEventListener } = globalThis;
    globalThis.addEventListener = /** @type {any} */ (target.addEventListener.bind(target));
    try {
      const { source, log } = fake({
        answer: () => {
          if (!mock.onLine) throw passing();
          return undefined;
        },
      });
      const reading = retry()(source).read(0, 10);
      await settle();
      assert.equal(log.length, 1);
      mock.onLine = true;
      target.dispatchEvent(new Event('online'));
      assert.deepEqual(await reading, bytesAt(0, 10));
      assert.equal(log.length, 2);
      mock.onLine = false;
      await assert.rejects(retry({ patience: 20, attempts: 3, base: 1 })(source).read(0, 10), { code: 'NETWORK' });
      const controller = new AbortController();
      const left = retry()(source).read(0, 10, { signal: controller.signal });
      await settle();
      controller.abort('enough');
      assert.equal(await assert.rejects(left), 'enough');
    } finally {
      Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
      globalThis.addEventListener = addEventListener;
    }
  },
);

test('an abort ends a pause at once', async () => {
  const controller = new AbortController();
  const source = retry({ base: 60_000, jitter: () => 1, max: 60_000 })(
    fake({
      answer: () => {
        throw passing();
      },
    }).source,
  );
  const reading = source.read(0, 1, { signal: controller.signal });
  setTimeout(() => controller.abort('enough'), 20);
  const begun = Date.now();
  assert.equal(await assert.rejects(reading), 'enough');
  assert.ok(Date.now() - begun < 30_000);
});

test('ranges are joined over small gaps and up to a size', () => {
  const ranges = (/** @type {number[][]} */ list) => list.map(([offset = 0, length = 0]) => ({ offset, length }));
  const joined = (/** @type {number[][]} */ list, /** @type {object} */ options) =>
    join(ranges(list), options).map(({ offset, length, members }) => [offset, length, members.length]);
  assert.deepEqual(
    joined(
      [
        [100, 10],
        [0, 10],
      ],
      { gap: 89 },
    ),
    [
      [0, 10, 1],
      [100, 10, 1],
    ],
  );
  assert.deepEqual(
    joined(
      [
        [100, 10],
        [0, 10],
      ],
      { gap: 90 },
    ),
    [[0, 110, 2]],
  );
  assert.deepEqual(
    joined(
      [
        [0, 10],
        [10, 10],
        [20, 10],
      ],
      { gap: 0 },
    ),
    [[0, 30, 3]],
  );
  assert.deepEqual(
    joined(
      [
        [0, 10],
        [10, 10],
        [20, 10],
      ],
      { gap: 0, maxBytes: 25 },
    ),
    [
      [0, 20, 2],
      [20, 10, 1],
    ],
  );
  assert.deepEqual(
    joined(
      [
        [0, 100],
        [10, 10],
        [50, 60],
      ],
      { gap: 0, maxBytes: 50 },
    ),
    [
      [0, 100, 2],
      [50, 60, 1],
    ],
  );
  assert.deepEqual(joined([], {}), []);
});

test('coalesce joins what is asked for in one turn, and nothing else', async () => {
  const { source, log } = fake();
  const joined = coalesce({ gap: 10 })(source);
  await Promise.all([reads(joined, 100, 20), reads(joined, 0, 20), reads(joined, 130, 5), reads(joined, 110, 20)]);
  assert.deepEqual(log, ['read 0+20', 'read 100+35']);
  await reads(joined, 0, 20);
  await reads(joined, 20, 20);
  assert.deepEqual(log.slice(2), ['read 0+20', 'read 20+20']);
});

test('coalesce sends few requests at once, in turn, and skips those that left', async () => {
  const waiting = fake({ size: 1_000_000, held: true });
  const LONG = 20_000;
  const source = coalesce({ gap: 0, connections: 2 })(waiting.source);
  const left = new AbortController();
  const all = [0, 1, 2, 3, 4].map((i) => source.read(i * 100_000, LONG, i === 2 ? { signal: left.signal } : {}));
  await settle();
  assert.equal(waiting.log.length, 2);
  left.abort('left');
  assert.equal(await assert.rejects(/** @type {any} */ (all[2])), 'left');
  while (waiting.log.length < 4) {
    waiting.release();
    await settle();
  }
  waiting.release();
  for (const i of [0, 1, 3, 4]) assert.deepEqual(await all[i], bytesAt(i * 100_000, i * 100_000 + LONG));
  assert.equal(waiting.most, 2);
  const short = Promise.all([0, 1, 2, 3, 4].map((i) => source.read(i * 1000, 10)));
  await settle();
  waiting.release();
  await settle();
  waiting.release();
  await short;
  assert.equal(waiting.most, 4, 'of small ones');
  assert.ok(!waiting.log.includes('read 200000+20000'));
});

test("one caller's abort leaves a joined request to the others; the last one's ends it", async () => {
  const waiting = fake({ held: true });
  const source = coalesce()(waiting.source);
  const [a, b] = [new AbortController(), new AbortController()];
  const first = source.read(0, 10, { signal: a.signal });
  const second = source.read(10, 10, { signal: b.signal });
  await settle();
  assert.deepEqual(waiting.log, ['read 0+20']);
  a.abort('a');
  assert.equal(await assert.rejects(first), 'a');
  assert.equal(waiting.aborted, 0);
  b.abort('b');
  assert.equal(await assert.rejects(second), 'b');
  assert.equal(waiting.aborted, 1);
});

test('an abort in the very turn of a read ends it, too', async () => {
  const { source, log } = fake({ held: true });
  const controller = new AbortController();
  const reading = coalesce()(source).read(0, 10, { signal: controller.signal });
  controller.abort('now');
  assert.equal(await assert.rejects(reading), 'now');
  assert.ok(log.length <= 1);
});

test('a slot is not lost, whenever the one that waits for it leaves', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const run = slots(1);
    const controller = new AbortController();
    /** @type {() => void} */
    let finish = () => {};
    const first = run(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(undefined);
        }),
    );
    const second = run(async () => {}, controller.signal).catch(() => {});
    await settle();
    finish();
    for (let i = 0; i < turns; i++) await Promise.resolve();
    controller.abort();
    await Promise.all([first, second]);
    const third = await Promise.race([run(async () => 'in'), settle().then(() => 'locked out')]);
    assert.equal(third, 'in', `${turns} turns`);
  }
});

test('nobody joins a read that all have left, even if it does not end', async () => {
  const { source, log } = fake({ answer: (n) => (n === 1 ? new Promise(() => {}) : undefined) });
  const cached = cache()(source);
  const controller = new AbortController();
  const first = cached.read(0, 100, { signal: controller.signal });
  controller.abort('left');
  assert.equal(await assert.rejects(first), 'left');
  await reads(cached, 0, 100);
  assert.equal(log.length, 2);
});

test('cache keeps what was read, whole, in part and within other reads', async () => {
  const { source, log } = fake();
  const cached = cache()(source);
  await reads(cached, 100, 100);
  await reads(cached, 100, 100);
  await reads(cached, 150, 20);
  assert.deepEqual(log, ['read 100+100']);
  await reads(cached, 50, 100);
  await reads(cached, 150, 100);
  await reads(cached, 50, 200);
  assert.deepEqual(log.slice(1), ['read 50+50', 'read 200+50']);
  const end = await cached.tail?.(30);
  await reads(cached, 980, 10);
  assert.deepEqual(end?.bytes.slice(), bytesAt(970, 1000));
  await reads(cached, 900, 100);
  assert.deepEqual(log.slice(3), ['stat', 'read 970+30', 'read 900+70']);
});

test('cache does not widen a read unless it is told to', async () => {
  const exact = fake();
  await reads(cache()(exact.source), 123, 7);
  assert.deepEqual(exact.log, ['read 123+7']);
  const blocks = fake();
  const cached = cache({ block: 100 })(blocks.source);
  await cached.stat();
  for (const offset of [123, 130, 180, 195, 250, 960, 990]) await reads(cached, offset, 10);
  await reads(cached, 300, 100);
  await reads(cached, 410, 300);
  assert.deepEqual(blocks.log, [
    'stat',
    'read 100+100',
    'read 200+100',
    'read 900+100',
    'read 300+100',
    'read 410+300',
  ]);
});

test('cache holds no more bytes than it may, the latest used', async () => {
  const { source, log } = fake({ size: 100_000 });
  const cached = cache({ bytes: 30_000 })(source);
  for (const offset of [0, 10_000, 0, 20_000, 0, 10_000]) await reads(cached, offset, 9000);
  assert.deepEqual(log, ['read 0+9000', 'read 10000+9000', 'read 20000+9000']);
  await reads(cached, 50_000, 9000);
  await reads(cached, 0, 9000);
  await reads(cached, 20_000, 9000);
  assert.deepEqual(log.slice(3), ['read 50000+9000', 'read 20000+9000']);
  await reads(cached, 0, 40_000);
  await reads(cached, 0, 40_000);
  assert.equal(log.length, 7, 'what is larger is not kept');
});

test('reads of the same bytes at the same time are one', async () => {
  const waiting = fake({ held: true });
  const cached = cache()(waiting.source);
  const all = [cached.read(0, 100), cached.read(0, 100), cached.read(20, 30)];
  await settle();
  assert.deepEqual(waiting.log, ['read 0+100']);
  waiting.release();
  assert.deepEqual(
    (await Promise.all(all)).map((bytes) => bytes.slice()),
    [bytesAt(0, 100), bytesAt(0, 100), bytesAt(20, 50)],
  );
  const apart = fake({ held: true });
  const alone = cache({ share: false })(apart.source);
  const two = [alone.read(0, 100), alone.read(0, 100)];
  apart.release();
  await Promise.all(two);
  assert.equal(apart.log.length, 2);
});

test('an abort never poisons the cache, nor the others that wait', async () => {
  const waiting = fake({ held: true });
  const cached = cache()(waiting.source);
  const [a, b] = [new AbortController(), new AbortController()];
  const first = cached.read(0, 100, { signal: a.signal });
  const second = cached.read(0, 100, { signal: b.signal });
  const third = cached.read(0, 100);
  a.abort('a');
  b.abort('b');
  assert.equal(await assert.rejects(first), 'a');
  assert.equal(await assert.rejects(second), 'b');
  assert.equal(waiting.aborted, 0, 'the third still waits');
  waiting.release();
  assert.deepEqual(await third, bytesAt(0, 100));
  await reads(cached, 0, 100);
  assert.equal(waiting.log.length, 1);
});

test('the last abort ends the request, and the next read begins anew', async () => {
  const waiting = fake({ held: true });
  const cached = cache()(waiting.source);
  const controller = new AbortController();
  const first = cached.read(0, 100, { signal: controller.signal });
  const second = cached.read(0, 100, { signal: controller.signal });
  controller.abort('both');
  assert.equal(await assert.rejects(first), 'both');
  assert.equal(await assert.rejects(second), 'both');
  assert.equal(waiting.aborted, 1);
  const third = cached.read(0, 100);
  waiting.release();
  assert.deepEqual(await third, bytesAt(0, 100));
  assert.equal(waiting.log.length, 2);
});

test('errors are not kept', async () => {
  const { source, log } = fake({
    answer: (n) => {
      if (n === 1) throw passing();
      return undefined;
    },
  });
  const cached = cache()(source);
  await assert.rejects(cached.read(0, 10), { code: 'NETWORK' });
  await reads(cached, 0, 10);
  assert.equal(log.length, 2);
});

test('a reset forgets what is kept, and what is on its way', async () => {
  const waiting = fake({ held: true });
  const cached = cache()(waiting.source);
  const before = cached.read(0, 100);
  cached.reset?.();
  waiting.release();
  await before;
  const after = cached.read(0, 100);
  waiting.release();
  await after;
  assert.equal(waiting.log.length, 2);
});

test('the whole stack: aborts of some leave the rest whole', async () => {
  const waiting = fake({ size: 1_000_000, held: true });
  const source = compose(waiting.source, check(), retry(), coalesce({ gap: 0, connections: 3 }), cache());
  const controllers = Array.from({ length: 40 }, () => new AbortController());
  const LONG = 17_000;
  const all = controllers.map(({ signal }, i) => source.read((i % 20) * LONG, LONG - 500, { signal }));
  const outcomes = Promise.allSettled(all);
  controllers.forEach((controller, i) => {
    if (i % 3 === 0) setTimeout(() => controller.abort(i), i % 7);
  });
  for (let i = 0; i < 30; i++) {
    await settle();
    waiting.release();
  }
  (await outcomes).forEach((outcome, i) => {
    if (outcome.status === 'rejected') assert.equal(outcome.reason, i);
    else assert.deepEqual(outcome.value.slice(), bytesAt((i % 20) * LONG, (i % 20) * LONG + LONG - 500));
    assert.ok(outcome.status === 'fulfilled' || i % 3 === 0);
  });
  assert.ok(waiting.most <= 3);
});

test('a budget counts requests and reserves what is asked for', async () => {
  const waiting = fake({ held: true });
  const source = budget({ requests: 3, bytes: 100 })(waiting.source);
  const first = source.read(0, 60);
  await assert.rejects(source.read(100, 41), { code: 'BUDGET', retryable: false });
  const second = source.read(100, 40);
  waiting.release();
  await Promise.all([first, second]);
  await assert.rejects(source.read(0, 1), { code: 'BUDGET' });
  assert.equal(waiting.log.length, 2);
  const end = budget({ bytes: 500 })(fake().source);
  assert.equal((await end.read(990, 400)).length, 10);
  await reads(end, 0, 490);
  assert.deepEqual({ ...end.transferred }, { requests: 2, bytes: 500 });
});

/** A store that counts. */
function memory() {
  /** @type {Map<string, Uint8Array>} */
  const map = new Map();
  return {
    map,
    get: async (/** @type {string} */ key) => map.get(key),
    put: async (/** @type {string} */ key, /** @type {Uint8Array} */ bytes) => void map.set(key, bytes),
    delete: async (/** @type {string} */ key) => void map.delete(key),
    list: async () => [...map].map(([key, { length }]) => ({ key, size: length })),
  };
}

test('persistent ranges are read once over sessions, while the ETag stays', async () => {
  const store = memory();
  const { source, log } = fake();
  const first = persist({ store })(source);
  await reads(first, 0, 10);
  await first.close?.();
  await reads(persist({ store })(source), 0, 10);
  assert.deepEqual(
    log.filter((line) => line !== 'stat'),
    ['read 0+10'],
  );
  const other = { ...source, stat: async () => ({ size: 1000, etag: '"new"' }) };
  await reads(persist({ store })(other), 0, 10);
  const weak = { ...source, stat: async () => ({ size: 1000, etag: 'W/"fake"' }) };
  await reads(persist({ store })(weak), 0, 10);
  assert.equal(log.filter((line) => line === 'read 0+10').length, 3);
});

test('persistent ranges are kept by URL without its signature, and by headers', async () => {
  /** @param {string} url @param {HeadersInit} [headers] */
  const keyOf = async (url, headers) => {
    const store = memory();
    const { source } = fake();
    const kept = persist({ store })({ ...source, key: [url, headers] });
    await reads(kept, 0, 10);
    await kept.close?.();
    return [...store.map.keys()][0];
  };
  const plain = await keyOf('https://a.example/m.pb');
  assert.equal(plain, 'https://a.example/m.pb "fake" 0+10');
  assert.equal(await keyOf('https://a.example/m.pb?X-Amz-Signature=1&X-Amz-Date=2&Expires=3'), plain);
  assert.equal(await keyOf('https://a.example/m.pb?sv=1&se=2&sp=r&sig=4'), plain);
  assert.equal(await keyOf('https://a.example/m.pb', { Authorization: 'Bearer 1' }), plain);
  const others = [
    await keyOf('https://a.example/m.pb?id=1'),
    await keyOf('https://a.example/m.pb?id=2'),
    await keyOf('https://a.example/m.pb?id=2&expires=3'),
    await keyOf('https://a.example/m.pb', { Accept: 'a/b' }),
    await keyOf('https://a.example/m.pb', { 'X-Tenant': '7' }),
    await keyOf('https://b.example/m.pb'),
  ];
  assert.equal(new Set([plain, ...others]).size, 7);
});

test('persistent ranges stay within their bound, and a broken store does no harm', async () => {
  const store = memory();
  const source = persist({ store, bytes: 100 })(fake().source);
  for (const offset of [0, 100, 200, 300]) await reads(source, offset, 40);
  await source.close?.();
  assert.deepEqual(
    [...store.map.keys()].map((key) => key.split(' ')[2]),
    ['200+40', '300+40'],
  );
  const fails = async () => {
    throw new Error('full');
  };
  const broken = persist({ store: { get: fails, put: fails, delete: fails, list: fails } })(fake().source);
  await reads(broken, 0, 40);
  await broken.close?.();
});

test('persist does no harm without such a store', async () => {
  for (const store of /** @type {const} */ (['cache', 'opfs'])) {
    const source = persist({ store, name: `libcpb-test-${Math.random()}` })(fake().source);
    await reads(source, 0, 40);
    await source.close?.();
  }
});

/** @type {any} */
const global = globalThis;

/** @type {[string, boolean, () => Promise<import('../src/middleware/persist.js').Store>][]} */
const stores = [
  [
    'the Cache API',
    Boolean(global.caches?.open) && global.navigator?.userAgent !== 'Cloudflare-Workers',
    () => cacheStore('libcpb-test'),
  ],
  ['the origin private file system', Boolean(global.navigator?.storage?.getDirectory), () => opfsStore('libcpb-test')],
];

for (const [name, there, make] of stores) {
  test(`${name} is a store`, { skip: !there && 'this runtime has none' }, async () => {
    const store = await make();
    for (const { key } of await store.list()) await store.delete(key);
    assert.equal(await store.get('https://x/y?z "tag" 0+5'), undefined);
    await store.put('https://x/y?z "tag" 0+5', bytesAt(0, 5));
    await store.put('b', bytesAt(5, 15));
    assert.deepEqual(await store.get('https://x/y?z "tag" 0+5'), bytesAt(0, 5));
    assert.deepEqual((await store.list()).map(({ size }) => size).sort(), [10, 5]);
    const [{ key } = { key: '' }] = await store.list();
    await store.delete(key);
    assert.equal((await store.list()).length, 1);
  });
}
