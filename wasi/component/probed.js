// Shared by the programs of the tests.
import { createHash } from 'node:crypto';
import { Source, dispose } from '../examples/javascript/cpb-component.js';

let lent = 0;

/** How many sources were not given back. */
export const left = () => lent;

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
