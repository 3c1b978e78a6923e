// node serve.js COMPONENT.wasm FOLDER HOST PORT: what `jco serve` does, with the packages that it is made of, of which
// it has many more: the component as JavaScript in FOLDER, unless it is there already, and a server that hands it each
// request. For each line that comes in it prints how many bytes of memory the component has. Ends with its input.
import { transpile, writeFiles } from '@bytecodealliance/jco-transpile';
import { HTTPServer } from '@bytecodealliance/preview2-shim/http';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [component, folder, host, port] = process.argv.slice(2);
const main = join(folder, 'cpb-http.js');
if (!existsSync(main)) {
  const { files } = await transpile(component, { wasiShim: true, name: 'cpb-http' });
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'), 'dir');
  await writeFiles(files, { baseDir: folder });
}

/** @type {WebAssembly.Memory[]} */
const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate(...args);
  if (made.exports?.memory) memories.push(made.exports.memory);
  return made;
};

const { incomingHandler } = await import(pathToFileURL(main));
const server = new HTTPServer(incomingHandler);
server.listen(Number(port), host);
createInterface(process.stdin)
  .on('line', () => console.log(Math.max(...memories.map(({ buffer }) => buffer.byteLength))))
  .on('close', () => process.exit());
