/** A fault proxy (toxiproxy) before a server. */
import { find, freePort, serve } from './start.js';

/** @param {string} upstream such as 'http://127.0.0.1:8080' */
export async function toxiproxy(upstream) {
  const [port, front] = [await freePort(), await freePort()];
  const api = `http://127.0.0.1:${port}`;
  const close = await serve([find('toxiproxy-server') ?? '', '-host', '127.0.0.1', '-port', String(port)], `${api}/version`);

  /** @type {(method: string, path: string, body?: object) => Promise<void>} */
  async function call(method, path, body) {
    const response = await fetch(api + path, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`toxiproxy: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }

  await call('POST', '/proxies', { name: 'p', listen: `127.0.0.1:${front}`, upstream: new URL(upstream).host, enabled: true });
  return {
    base: `http://127.0.0.1:${front}`,
    /**
     * Replaces all faults.
     * @param {...{ type: string, attributes: object }} toxics
     */
    async faults(...toxics) {
      await call('POST', '/reset');
      for (const toxic of toxics) await call('POST', '/proxies/p/toxics', { stream: 'downstream', ...toxic });
    },
    close,
  };
}
