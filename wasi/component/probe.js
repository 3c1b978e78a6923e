// node probe.js COMPONENT.js < {"files" | "messages" | "models": QUESTIONS, ...} or {"split": PATH}: what the component
// gives through jco, as the tests find it through wasmtime.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Folder, Source, dispose, instantiate, pieces } from '../examples/javascript/cpb-component.js';

let lent = 0; // sources that were not given back

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

class CountedFolder extends Folder {
  source = Counted;
}

const host = { Source: Counted, Folder: CountedFolder };
const { chunked, messages, models, splits } = await instantiate(pathToFileURL(process.argv[2]), host);

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

function hash(pieces) {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const hashed = (content) => hash(pieces(content, 1000));

// --- Files --------------------------------------------------------------------------

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

const openFile = (path) => chunked.File.open(new Counted(path), { verify: 'first', readSize: 4096 });
const file = ({ path, chunks, ranges }) => orError(() => using(openFile(path), readFile(chunks, ranges)));

// --- Messages -------------------------------------------------------------------------

const text = (content) => Buffer.concat([...pieces(content)]).toString();

function ranges(message, field) {
  const all = field.ranges(0n, 4096).map(({ offset, size }) => [...pieces(message.read(offset, size))]);
  return hash(all.flat());
}

const describe = (message) => (field) => ({
  type: field.typeName() ?? null,
  sha: hashed(field.read(0n)),
  size: Number(field.size()),
  ranges: ranges(message, field),
  json: JSON.parse(text(field.json(64n))),
});

const message = ({ path, type, fields }) => {
  const opened = messages.Message.open(new Counted(path), { form: 'guess', typeName: type, readSize: 4096 });
  return using(opened, () => fields.map((name) => orError(() => using(opened.field(name), describe(opened)))));
};

// --- Models -----------------------------------------------------------------------------

const openModel = (path) =>
  models.Model.open(new Counted(path), new CountedFolder(dirname(path)), { name: basename(path) });

const ask = (questions) => (model) =>
  Object.fromEntries(questions.map((name) => [name, orError(() => JSON.parse(model.ask(name, {})))]));

const model = (questions) => (path) => [path, using(openModel(path), ask(questions))];

const asked = JSON.parse(readFileSync(0, 'utf8'));
const answer =
  asked.files?.map(file) ??
  asked.messages?.map(message) ??
  (asked.models ? Object.fromEntries(asked.models.map(model(asked.questions))) : undefined) ??
  hash(pieces(splits.split(new Counted(asked.split), { layout: 'remote' })));
if (lent > 0) throw new Error(`${lent} sources were not given back`);
console.log(JSON.stringify(answer));
