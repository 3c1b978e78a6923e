/** No function of the package, the inspector or the examples is over 60 lines, and no file over 600. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { assert, test } from './support/test.js';

const FUNCTION = 60;
const FILE = 600;
const folders = ['src', 'inspector/src', 'examples'];

const web = fileURLToPath(new URL('..', import.meta.url));
/** @type {import('../node_modules/typescript/lib/typescript.js')} */
const ts = createRequire(`${web}package.json`)('typescript');

/**
 * What is too long in a file, each with its name and lines.
 *
 * @param {string} name
 * @param {string} text
 */
function tooLong(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lines = text.replace(/\n$/, '').split('\n').length;
  const found = lines > FILE ? [`${name}: ${lines} lines`] : [];
  const lineOf = (/** @type {number} */ position) => file.getLineAndCharacterOfPosition(position).line + 1;

  /** @param {import('../node_modules/typescript/lib/typescript.js').Node} node */
  function visit(node) {
    if (ts.isFunctionLike(node) && 'body' in node) {
      const begin = lineOf(node.getStart(file));
      const length = lineOf(node.end) - begin + 1;
      if (length > FUNCTION) found.push(`${name}:${begin}: ${nameOf(node)}, ${length} lines`);
    }
    ts.forEachChild(node, visit);
  }

  visit(file);
  return found;
}

/** Its own name, or that of what it is assigned to. @param {any} node @returns {string} */
const nameOf = ({ name, parent }) =>
  (name ?? parent?.name ?? parent?.parent?.name)?.getText() ?? 'a function without a name';

test('functions of every kind that are too long are found', () => {
  const body = 'x();\n'.repeat(FUNCTION - 1);
  const long = [
    `function plain() {\n${body}}`,
    `const arrow = () => {\n${body}};`,
    `const inner = outer(async () => {\n${body}});`,
    `class One {\n  #method() {\n${body}  }\n}`,
    `const object = { get it() {\n${body}} };`,
  ];
  const names = ['plain', 'arrow', 'inner', '#method', 'it'];
  for (const [i, text] of long.entries()) {
    const [found = '', ...others] = tooLong('long.js', text);
    assert.ok(found.endsWith(`: ${names[i]}, ${FUNCTION + 1} lines`), found);
    assert.deepEqual(others, []);
    assert.deepEqual(tooLong('short.js', text.replace('x();\n', '')), []);
  }
  assert.deepEqual(tooLong('file.js', 'x();\n'.repeat(FILE)), []);
  assert.deepEqual(tooLong('file.js', 'x();\n'.repeat(FILE + 1)), [`file.js: ${FILE + 1} lines`]);
});

test(`no function is over ${FUNCTION} lines, no file over ${FILE}`, () => {
  const files = folders.flatMap((folder) =>
    readdirSync(web + folder, { recursive: true, encoding: 'utf8' })
      .filter(
        (name) =>
          /\.[cm]?[jt]s$/.test(name) &&
          !name.endsWith('answers.d.ts') &&
          !/operators\/(onnx|tensorflow|coreml)\.js$/.test(name),
      ) // generated
      .map((name) => `${folder}/${name}`),
  );
  assert.ok(files.length > 100, `${files.length} files`);
  assert.deepEqual(
    files.flatMap((name) => tooLong(name, readFileSync(web + name, 'utf8'))),
    [],
  );
});
