// node probe-models.js COMPONENT.js < {"paths", "questions"} or {"split"}: answers about models, or the hash of a file,
// through jco, as test_complete.py finds them through wasmtime.
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Counted, hash, orError, reply, using } from './probed.js';
import { Folder, instantiate, pieces } from '../examples/javascript/cpb-component.js';

class CountedFolder extends Folder {
  source = Counted;
}

const host = { Source: Counted, Folder: CountedFolder };
const { models, splits } = await instantiate(pathToFileURL(process.argv[2]), host);

const open = (path) => models.Model.open(new Counted(path), new CountedFolder(dirname(path)), { name: basename(path) });

const ask = (questions) => (model) =>
  Object.fromEntries(questions.map((name) => [name, orError(() => JSON.parse(model.ask(name, {})))]));

reply(({ paths, questions, split }) =>
  paths
    ? Object.fromEntries(paths.map((path) => [path, using(open(path), ask(questions))]))
    : hash(pieces(splits.split(new Counted(split), { layout: 'remote' }))),
);
