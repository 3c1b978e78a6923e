// node new.js CORE.wasm COMPONENT.wasm: makes a component of a module that has its type
// in a section, as wit-bindgen puts it there.
import { componentNew } from '@bytecodealliance/jco-transpile/wasm-tools';
import { readFileSync, writeFileSync } from 'node:fs';

const [core, component] = process.argv.slice(2);
writeFileSync(component, await componentNew(readFileSync(core)));
