// node probe.js COMPONENT.js < QUESTIONS: what the component gives through jco, as
// look() in test_component.py finds it through wasmtime.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Source, dispose, load, pieces } from '../examples/javascript/cpb-component.js';

let lent = 0;

class Counted extends Source {
  constructor(path) {
    super(path);
    lent++;
  }

  [dispose]() {
    super[dispose]();
    lent--;
  }
}

const { File } = await load(pathToFileURL(process.argv[2]), Counted);

function using(resource, use) {
  try {
    return use(resource);
  } finally {
    resource[dispose]();
  }
}

function orError(look) {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error) throw error;
    const { code, offset, message } = error;
    return { error: code, offset: offset === undefined ? null : Number(offset), text: message };
  }
}

function hash(content) {
  const hash = createHash('sha256');
  for (const piece of pieces(content, 1000)) hash.update(piece);
  return hash.digest('hex');
}

const listed = ({ kind, size, position }) => [kind.tag, `${size}`, `${position}`];

const number = ([offset, length]) => [BigInt(offset), BigInt(length)];

const readMerged = (ranges) => (merged) => {
  const parts = ranges.map((range) => hash(merged.read(...number(range))));
  return [Number(merged.size()), hash(merged.read(0n)), parts];
};

const readFile = (chunks, ranges) => (file) => ({
  chunks: file.chunks(0n, 4096).map(listed),
  read: chunks.map((chunk) => orError(() => hash(file.read(BigInt(chunk), 0n)))),
  merged: orError(() => using(file.merge({ trustSizes: false }), readMerged(ranges))),
});

const open = (path) => File.open(new Counted(path), { verify: 'first', readSize: 4096 });
const look = ({ path, chunks, ranges }) => orError(() => using(open(path), readFile(chunks, ranges)));

const answers = JSON.parse(readFileSync(0, 'utf8')).map(look);
if (lent > 0) throw new Error(`${lent} sources were not given back`);
console.log(JSON.stringify(answers));
