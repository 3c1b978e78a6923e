// node transpile.js COMPONENT.wasm FOLDER: the component as JavaScript and core modules
// in FOLDER, as `jco transpile --instantiation sync` makes them.
import { transpile, writeFiles } from '@bytecodealliance/jco-transpile';

const [component, baseDir] = process.argv.slice(2);
const { files } = await transpile(component, { instantiation: 'sync' });
await writeFiles(files, { baseDir });
