// node component-field.js component/cpb-component.js URL FIELD: writes a field, of which the server is asked for ranges.
// The component asks for bytes and waits for them, so another thread fetches them.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } from 'node:worker_threads';

if (!isMainThread) {
  const { url, port, flag } = workerData;
  port.on('message', async (range) => {
    const response = await fetch(url, { headers: { Range: `bytes=${range}` } }).catch(String);
    const total = response.headers?.get('content-range')?.split('/')[1];
    port.postMessage({ total, bytes: total && new Uint8Array(await response.arrayBuffer()) });
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
} else {
  const [module, url, path] = process.argv.slice(2);
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { url, port: port2, flag },
    transferList: [port2],
  });
  const get = (first, last) => {
    flag[0] = 0;
    port1.postMessage(`${first}-${last}`);
    Atomics.wait(flag, 0, 0);
    const { total, bytes } = receiveMessageOnPort(port1).message;
    if (total === undefined) throw { tag: 'failed', val: 'the server gives no ranges' };
    return { total, bytes };
  };
  class Source {
    size = () => BigInt(get(0, 0).total);
    readAt = (at, length) => get(at, at + BigInt(length) - 1n).bytes;
  }
  const location = pathToFileURL(module);
  const { instantiate } = await import(location);
  const compile = (name) => new WebAssembly.Module(readFileSync(new URL(name, location)));
  const { messages } = instantiate(compile, { 'libcpb:cpb/source': { Source } });
  const content = messages.openField(new Source(), { form: 'guess' }, path).read(0n);
  for (let bytes; (bytes = content.next(65536));) process.stdout.write(bytes);
  worker.terminate();
}
