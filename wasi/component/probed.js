// Shared by the programs of the tests.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Source, dispose } from '../examples/javascript/cpb-component.js';

let lent = 0;

/** Prints the answer to what comes in. All sources must then have been given back. */
export function reply(answer) {
  const answers = answer(JSON.parse(readFileSync(0, 'utf8')));
  if (lent > 0) throw new Error(`${lent} sources were not given back`);
  console.log(JSON.stringify(answers));
}

export class Counted extends Source {
  constructor(path) {
    super(path);
    lent++;
  }

  [dispose]() {
    super[dispose]();
    lent--;
  }
}

export function using(resource, use) {
  try {
    return use(resource);
  } finally {
    resource[dispose]();
  }
}

export function orError(look) {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error) throw error;
    const { code, offset, message } = error;
    return { error: code, offset: offset === undefined ? null : Number(offset), text: message };
  }
}

export function hash(pieces) {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
