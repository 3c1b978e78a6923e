// node probe-messages.js COMPONENT.js < QUESTIONS: fields of messages through jco, as test_messages.py
// finds them through wasmtime.
import { pathToFileURL } from 'node:url';
import { Counted, hash, orError, reply, using } from './probed.js';
import { instantiate, pieces } from '../examples/javascript/cpb-component.js';

const { messages } = await instantiate(pathToFileURL(process.argv[2]), { Source: Counted });

const text = (content) => Buffer.concat([...pieces(content)]).toString();

function ranges(message, field) {
  const all = field.ranges(0n, 4096).map(({ offset, size }) => [...pieces(message.read(offset, size))]);
  return hash(all.flat());
}

const describe = (message) => (field) => ({
  type: field.typeName() ?? null,
  sha: hash(pieces(field.read(0n), 1000)),
  size: Number(field.size()),
  ranges: ranges(message, field),
  json: JSON.parse(text(field.json(64n))),
});

const look = ({ path, type, fields }) => {
  const message = messages.Message.open(new Counted(path), { form: 'guess', typeName: type, readSize: 4096 });
  return using(message, () => fields.map((name) => orError(() => using(message.field(name), describe(message)))));
};

reply((questions) => questions.map(look));
