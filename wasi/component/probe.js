// node probe.js COMPONENT.js < QUESTIONS: what the component gives through jco, as
// look() in test_component.py finds it through wasmtime.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Source, load, pieces } from '../examples/javascript/cpb-component.js';

const { File } = await load(pathToFileURL(process.argv[2]));

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

const look = ({ path, chunks, ranges }) => orError(() => {
  const file = File.open(new Source(path), { verify: 'first', readSize: 4096 });
  return {
    chunks: file.chunks(0n, 4096).map(listed),
    read: chunks.map((chunk) => orError(() => hash(file.read(BigInt(chunk), 0n)))),
    merged: orError(() => {
      const merged = file.merge({ trustSizes: false });
      const part = ([offset, length]) => hash(merged.read(BigInt(offset), BigInt(length)));
      const parts = ranges.map(part);
      return [Number(merged.size()), hash(merged.read(0n)), parts];
    }),
  };
});

console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(look)));
