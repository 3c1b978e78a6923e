// node new.js CORE.wasm COMPONENT.wasm: makes a component from a module whose type is in a section, as
// wit-bindgen writes it, and adds the metadata in wasi/wkg.toml, for registries.
import { componentNew } from '@bytecodealliance/jco-transpile/wasm-tools';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const root = new URL('../../', import.meta.url);
const utf8 = new TextEncoder();

function leb128(number) {
  const bytes = [];
  for (; number > 127; number >>>= 7) bytes.push((number & 127) | 128);
  return [...bytes, number];
}

const sized = (bytes) => [...leb128(bytes.length), ...bytes];

/** A custom section, which registries make annotations of. */
const custom = (name, content) => [0, ...sized([...sized(utf8.encode(name)), ...content])];

/** @param {string} name of the component */
function sections(name) {
  const manifest = readFileSync(new URL('wasi/wkg.toml', root), 'utf8');
  const build = readFileSync(new URL('CMakeLists.txt', root), 'utf8');
  const said = [...manifest.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, key, text]) => [key, text]);
  const [, version] = build.match(/^project\(cpb VERSION ([\d.]+)/m);
  const named = { description: 'description', license: 'licenses', homepage: 'homepage', repository: 'source' };
  const known = said.filter(([key]) => key in named).map(([key, text]) => custom(named[key], utf8.encode(text)));
  const title = custom('component-name', [0, ...sized(sized(utf8.encode(name)))]);
  return [title, custom('version', utf8.encode(version)), ...known].flat();
}

const [core, component] = process.argv.slice(2);
const made = await componentNew(readFileSync(core));
writeFileSync(component, Buffer.concat([made, Uint8Array.from(sections(basename(component, '.wasm')))]));
