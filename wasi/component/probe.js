// node probe.js COMPONENT.js < QUESTIONS: what the component gives through jco, as
// look() in test_component.py finds it through wasmtime.
import { pathToFileURL } from 'node:url';
import { Counted, hash, orError, reply, using } from './probed.js';
import { instantiate, pieces } from '../examples/javascript/cpb-component.js';

const { File } = (await instantiate(pathToFileURL(process.argv[2]), { Source: Counted })).chunked;

const hashed = (content) => hash(pieces(content, 1000));

const listed = ({ kind, size, position }) => [kind.tag, `${size}`, `${position}`];

const number = ([offset, length]) => [BigInt(offset), BigInt(length)];

const readMerged = (ranges) => (merged) => {
  const parts = ranges.map((range) => hashed(merged.read(...number(range))));
  return [Number(merged.size()), hashed(merged.read(0n)), parts];
};

const readFile = (chunks, ranges) => (file) => ({
  chunks: file.chunks(0n, 4096).map(listed),
  read: chunks.map((chunk) => orError(() => hashed(file.read(BigInt(chunk), 0n)))),
  merged: orError(() => using(file.merge({ trustSizes: false }), readMerged(ranges))),
});

const open = (path) => File.open(new Counted(path), { verify: 'first', readSize: 4096 });
const look = ({ path, chunks, ranges }) => orError(() => using(open(path), readFile(chunks, ranges)));

reply((questions) => questions.map(look));
