// node layouts.js DUMP OUT.json: what clang's -fdump-record-layouts-complete says
// of the public structs, as {name without cpb_: {size, align, fields: {name:
// {offset, type}}}}, for a test to compare the package's own layouts with.
import { readFileSync, writeFileSync } from 'node:fs';

const [dump, out] = process.argv.slice(2);

const line = /^ *(\d+) \| {3}(\S.*?) ([a-z_0-9]+)$/; // a field; those of a nested struct stand further right
const end = /\| \[sizeof=(\d+), align=(\d+)\]/;

/** @param {string} record */
function parse(record) {
  const fields = {};
  for (const text of record.split('\n')) {
    const field = line.exec(text);
    if (field) fields[field[3]] = { offset: Number(field[1]), type: field[2] };
  }
  const [, size, align] = end.exec(record).map(Number);
  return { size, align, fields };
}

const layouts = {};
for (const record of readFileSync(dump, 'utf8').split('*** Dumping AST Record Layout\n').slice(1)) {
  const name = /^ *0 \| struct cpb_(\w+)$/m.exec(record.split('\n')[0]);
  if (name) layouts[name[1]] = parse(record);
}
if (Object.keys(layouts).length === 0) throw new Error(`no layouts in ${dump}`);
writeFileSync(out, `${JSON.stringify(layouts, null, 1)}\n`);
