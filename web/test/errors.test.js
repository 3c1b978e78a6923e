import { CpbError, codes } from '../src/errors.js';
import { assert, data, json, other, runtime, test } from './support/test.js';

test('an error carries its code, offset and whether to try again', () => {
  const cause = new Error('below');
  const error = new CpbError('HTTP', 'the server answered 503', {
    offset: 7,
    retryable: true,
    status: 503,
    retryAfter: 1000,
    cause,
  });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'CpbError');
  assert.equal(error.message, 'the server answered 503');
  assert.deepEqual(
    [error.code, error.offset, error.retryable, error.status, error.retryAfter],
    ['HTTP', 7, true, 503, 1000],
  );
  assert.equal(error.cause, cause);
});

test('an error without details has none, and is not retryable', () => {
  const error = new CpbError('DAMAGED', 'the hash is wrong');
  assert.deepEqual(
    [error.offset, error.status, error.retryAfter, error.retryable],
    [undefined, undefined, undefined, false],
  );
  assert.ok(!('cause' in error));
});

test('an error survives a rejected promise', async () => {
  await assert.rejects(Promise.reject(new CpbError('RANGE', 'a 200', { offset: 0 })), {
    code: 'RANGE',
    offset: 0,
    message: /200/,
  });
});

test('the codes are those of the C header in its order, then those of JavaScript', async () => {
  const header = new TextDecoder().decode(await data('include/cpb/base.h'));
  const list = [...header.matchAll(/^ *X\(([A-Z_]+), \d+,/gm)];
  assert.ok(list.length >= 10, `${list.length} codes found in the header`);
  const names = list.map((match) => match[1]).filter((name) => name !== 'OK');
  assert.deepEqual(codes.slice(0, names.length), names);
  assert.ok(Object.isFrozen(codes));
});

test('a file of the repository and of another origin can be read here', async () => {
  const manifest = await json('tests/data/records.manifest.json');
  assert.ok(manifest.length > 10, runtime);
  const response = await fetch(`${other}/tests/data/records.manifest.json`, {
    headers: { Range: 'bytes=2-9' },
  });
  assert.equal(response.status, 206);
  assert.equal((await response.arrayBuffer()).byteLength, 8);
});
