/** Fields of every kind: found by path, their values, elements and JSON. */
import { kinds } from '../src/reader/fields.js';
import { field, varint } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { assert, test } from './support/test.js';

const { bytesSource, open } = libcpb;

/* --- A schema, by hand ----------------------------------------------------------- */

const SINGULAR = 1,
  REPEATED = 3;

/**
 * FieldDescriptorProto.
 * @param {string} name
 * @param {number} number
 * @param {string} kind
 * @param {number} [label]
 * @param {string} [type]
 */
const declare = (name, number, kind, label = SINGULAR, type) =>
  field(2, [
    ...field(1, name),
    ...field(3, number),
    ...field(4, label),
    ...field(5, kinds.indexOf(kind)),
    ...(type ? field(6, type) : []),
  ]);

const scalars = kinds.filter((kind) => kind && !['group', 'message', 'enum'].includes(kind));
const entry = field(3, [
  ...field(1, 'MEntry'),
  ...declare('key', 1, 'string'),
  ...declare('value', 2, 'message', SINGULAR, '.t.M'),
  ...field(7, field(7, 1)),
]);
const M = field(4, [
  ...field(1, 'M'),
  ...scalars.flatMap((kind, i) => declare(kind, i + 1, kind)),
  ...scalars.flatMap((kind, i) => declare(`r_${kind}`, i + 101, kind, REPEATED)),
  ...declare('sub', 50, 'message', SINGULAR, '.t.M'),
  ...declare('subs', 51, 'message', REPEATED, '.t.M'),
  ...declare('colour', 52, 'enum', SINGULAR, '.t.Colour'),
  ...declare('m', 53, 'message', REPEATED, '.t.M.MEntry'),
  ...entry,
]);
const Colour = field(5, [
  ...field(1, 'Colour'),
  ...field(2, [...field(1, 'NONE'), ...field(2, 0)]),
  ...field(2, [...field(1, 'RED'), ...field(2, 7)]),
]);
const file = field(1, [...field(1, 't.proto'), ...field(2, 't'), ...M, ...Colour, ...field(12, 'proto3')]);
const schema = Uint8Array.from(file);

/* --- Values ------------------------------------------------------------------------ */

/** @param {number} size @param {(view: DataView) => void} set */
function fixed(size, set) {
  const bytes = new Uint8Array(size);
  set(new DataView(bytes.buffer));
  return [...bytes];
}
/** @param {bigint} n */
function varint64(n) {
  const out = [];
  for (n = BigInt.asUintN(64, n); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  return [...out, Number(n)];
}

/**
 * kind → [wire type, bytes, value, what JSON has]
 * @type {Record<string, [number, number[], any, any]>}
 */
const samples = {
  double: [1, fixed(8, (v) => v.setFloat64(0, -1.5e300, true)), -1.5e300, -1.5e300],
  float: [5, fixed(4, (v) => v.setFloat32(0, 0.25, true)), 0.25, 0.25],
  int64: [0, varint64(-5n), -5n, '-5'],
  uint64: [0, varint64(2n ** 64n - 1n), 2n ** 64n - 1n, '18446744073709551615'],
  int32: [0, varint64(-7n), -7, -7],
  fixed64: [1, fixed(8, (v) => v.setBigUint64(0, 2n ** 63n, true)), 2n ** 63n, '9223372036854775808'],
  fixed32: [5, fixed(4, (v) => v.setUint32(0, 4e9, true)), 4e9, 4e9],
  bool: [0, [1], true, true],
  string: [2, [...new TextEncoder().encode('grün')], 'grün', 'grün'],
  bytes: [2, [0, 255, 3], Uint8Array.of(0, 255, 3), 'AP8D'],
  uint32: [0, varint(4e9), 4e9, 4e9],
  sfixed32: [5, fixed(4, (v) => v.setInt32(0, -9, true)), -9, -9],
  sfixed64: [1, fixed(8, (v) => v.setBigInt64(0, -9n, true)), -9n, '-9'],
  sint32: [0, [9], -5, -5],
  sint64: [0, [9], -5n, '-5'],
};

/** @param {string} kind */
const sample = (kind) => samples[kind] ?? [0, [], undefined, undefined];

/** @param {number} number @param {string} kind @param {number[]} [value] */
function put(number, kind, value = sample(kind)[1]) {
  const [wire] = sample(kind);
  return [...varint(number * 8 + wire), ...(wire === 2 ? varint(value.length) : []), ...value];
}

/** @param {number[]} bytes */
const openM = (bytes) => open(Uint8Array.from(bytes), { schema, type: 't.M', format: 'pb' });

test('a value of every scalar type', async () => {
  const message = await openM(scalars.flatMap((kind, i) => put(i + 1, kind)));
  for (const [i, kind] of scalars.entries()) {
    const found = await message.field(kind);
    const [, bytes, value, json] = sample(kind);
    assert.deepEqual([found.name, found.type, found.number, found.repeated], [kind, kind, i + 1, false]);
    assert.deepEqual([...(await found.bytes())], bytes, kind);
    assert.deepEqual(await found.value(), value, kind);
    assert.deepEqual(await found.json(), json, kind);
  }
  message.close();
});

test('repeated fields of every scalar type, one by one and packed', async () => {
  const single = scalars.flatMap((kind, i) => [...put(i + 101, kind), ...put(i + 101, kind)]);
  const packed = scalars.flatMap((kind, i) =>
    ['string', 'bytes'].includes(kind)
      ? [...put(i + 101, kind), ...put(i + 101, kind)]
      : field(i + 101, [...sample(kind)[1], ...sample(kind)[1]]),
  );
  for (const bytes of [single, packed]) {
    const message = await openM(bytes);
    for (const kind of scalars) {
      const [, , value, json] = sample(kind);
      const found = await message.field(`r_${kind}`);
      assert.equal(found.repeated, true);
      assert.deepEqual(await found.value(), [value, value], kind);
      assert.deepEqual(await found.json(), [json, json], kind);
      const elements = [];
      for await (const element of found.elements()) elements.push(element);
      assert.deepEqual(
        elements.map(({ path }) => path),
        [`r_${kind}[0]`, `r_${kind}[1]`],
      );
      for (const element of elements) {
        assert.deepEqual(await element.value(), value, kind);
        assert.deepEqual(element.ranges, (await message.field(element.path)).ranges, element.path);
      }
    }
    message.close();
  }
});

test('zeros that are written', async () => {
  const zeros = {
    int32: [0],
    bool: [0],
    string: [],
    bytes: [],
    double: Array(8).fill(0),
    sint64: [0],
    fixed32: [0, 0, 0, 0],
  };
  const message = await openM(
    Object.entries(zeros).flatMap(([kind, bytes]) => put(scalars.indexOf(kind) + 1, kind, bytes)),
  );
  const none = await openM(field(52, 0));
  assert.equal(await (await none.field('colour')).value(), 'NONE');
  none.close();
  const values = await Promise.all(Object.keys(zeros).map(async (kind) => (await message.field(kind)).value()));
  assert.deepEqual(values, [0, false, '', new Uint8Array(0), 0, 0n, 0]);
  message.close();
});

test('an enum, a map, messages in messages', async () => {
  const inner = put(scalars.indexOf('string') + 1, 'string');
  const message = await openM([
    ...field(52, 7),
    ...field(50, inner),
    ...field(50, field(52, 7)),
    ...field(53, [...field(1, 'a"b'), ...field(2, inner)]),
    ...field(53, [...field(1, 'c'), ...field(2, [])]),
    ...field(51, inner),
    ...field(51, []),
  ]);
  const colour = await message.field('colour');
  assert.deepEqual([await colour.value(), colour.typeName], ['RED', 't.Colour']);
  // A message in several parts is what a parser makes of them.
  const sub = await message.field('sub');
  assert.equal(sub.ranges.length, 2);
  assert.deepEqual([sub.type, sub.typeName], ['message', 't.M']);
  assert.deepEqual(await sub.json(), { string: 'grün', colour: 'RED' });
  assert.equal(await (await sub.field('colour')).value(), 'RED');
  assert.equal(await (await sub.field('string')).value(), 'grün');
  assert.equal((await sub.bytes()).length, sub.size);
  const map = await message.field('m');
  assert.deepEqual(await map.json(), { 'a"b': { string: 'grün' }, c: {} });
  const value = await message.field('m["a\\"b"]');
  assert.deepEqual(await value.json(), { string: 'grün' });
  assert.equal(await (await value.field('string')).value(), 'grün');
  const paths = [];
  for await (const { path } of (await message.field('subs')).elements()) paths.push(path);
  assert.deepEqual(paths, ['subs[0]', 'subs[1]']);
  const first = await message.field('subs[0]');
  assert.equal((await first.field('string')).path, 'subs[0].string');
  await assert.rejects((await message.field('subs')).field('x'), { code: 'USAGE' });
  await assert.rejects((await message.field('colour')).field('x'), { code: 'USAGE' });
  await assert.rejects(
    async () => {
      for await (const _ of sub.elements());
    },
    { code: 'USAGE' },
  );
  message.close();
});

test('large values are omitted from JSON, and can be read from where it says', async () => {
  const long = Array.from({ length: 2000 }, (_, i) => i % 251);
  const message = await openM([
    ...field(50, [...put(10, 'bytes', long), ...put(9, 'string')]),
    ...put(10, 'bytes', long),
  ]);
  const sub = await message.field('sub');
  const json = await sub.json({ omit: 100 });
  assert.equal(json.string, 'grün');
  const { offset, size } = json.bytes['@omitted'];
  assert.deepEqual([...(await message.read(offset, size))], long);
  assert.deepEqual((await (await message.field('bytes')).json({ omit: 100 }))['@omitted'].size, 2000);
  assert.deepEqual((await sub.json({ omit: 0 })).string['@omitted'].size, 5);
  assert.deepEqual(Object.keys(await (await message.field('')).json({ omit: 10 })), ['bytes', 'sub']);
  message.close();
});

test('a message in thousands of parts is read at once, not part by part', async () => {
  const parts = 3000;
  const names = Array.from({ length: parts }, (_, i) => `name ${i}`);
  const bytes = Uint8Array.from(names.flatMap((name) => [...field(50, field(50, field(109, name))), ...field(52, 7)]));
  const [given, below] = [bytes.slice(), bytesSource(bytes)];
  let reads = 0;
  /** @type {import('../src/types.js').Source} */
  const counted = { stat: below.stat, read: (...range) => (reads++, below.read(...range)) };
  const message = await open(counted, { schema, type: 't.M', format: 'pb' });
  const within = await message.field('sub');
  const sub = await within.field('sub');
  assert.deepEqual([within.ranges.length, sub.ranges.length], [parts, parts]);
  reads = 0;
  const all = await sub.bytes();
  assert.deepEqual(await collect(sub.stream()), all);
  assert.deepEqual(await sub.json(), { r_string: names });
  assert.ok(reads <= 3, `${reads} reads`);
  assert.deepEqual(bytes, given, 'what was passed is as it was');
  message.close();
});

test('without a type there are numbers', async () => {
  const bytes = Uint8Array.from([...field(50, field(3, 5)), ...field(51, 'x'), ...field(51, 'y')]);
  const message = await open(bytes, { schema, format: 'pb' });
  assert.equal(message.type, undefined);
  const found = await message.field('50.3');
  assert.deepEqual([found.name, found.type, [...(await found.bytes())]], ['3', undefined, [5]]);
  assert.deepEqual((await message.field('51[1]')).ranges, [{ offset: 12, length: 1 }]);
  await assert.rejects(found.json(), { code: 'USAGE' });
  await assert.rejects(message.field('name'), { code: 'USAGE' });
  message.close();
});

test('a message that ends within a field', async () => {
  const message = await openM([...field(9, 'x'), 0x9a, 0x06, 50, 1, 2]);
  await assert.rejects(message.field('r_string'), { code: 'DAMAGED' });
  message.close();
});

test('a schema that is none', async () => {
  await assert.rejects(open(Uint8Array.of(8, 1), { format: 'pb', schema: Uint8Array.of(255, 1, 2) }), {
    code: 'DAMAGED',
  });
});
