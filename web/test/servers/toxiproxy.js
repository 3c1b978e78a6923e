/** A fault proxy (toxiproxy) before a server. */
import { find, serve } from './start.js';

/** @param {string} upstream such as 'http://127.0.0.1:8080' */
export async function toxiproxy(upstream) {
  const command = [find('toxiproxy-server') ?? '', '-host', '127.0.0.1', '-port'];
  const { base: api, close } = await serve((port) => [...command, String(port)], { path: '/version' });

  /** @type {(method: string, path: string, body?: object) => Promise<any>} */
  async function call(method, path, body) {
    const response = await fetch(api + path, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`toxiproxy: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  const proxy = { name: 'p', listen: '127.0.0.1:0', upstream: new URL(upstream).host, enabled: true };
  const { listen } = await call('POST', '/proxies', proxy);
  return {
    base: `http://${listen}`,
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
