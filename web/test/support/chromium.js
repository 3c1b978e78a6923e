/** Chromium, led by its DevTools protocol over a pipe: pages that are used as a visitor would. */
import { spawn } from 'node:child_process';
import { temporary } from '../runtimes/process.js';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
];

/**
 * @typedef {object} Page
 * @property {(method: string, params?: object) => Promise<any>} send a command of the protocol
 * @property {(expression: string) => Promise<any>} evaluate
 * @property {(expression: string) => Promise<any>} until it is true, or a minute has passed
 * @property {() => Promise<Page>} frame once there is one in a sandbox
 * @property {() => Promise<void>} close and the browser
 */

/**
 * @typedef {object} Browser
 * @property {(method: string, params?: object, sessionId?: string) => Promise<any>} call a command of the protocol
 * @property {() => Promise<void>} end
 */

/** @returns {Browser} one that does not keep the process alive, but while it is asked something */
function startBrowser() {
  const profile = temporary();
  const child = spawn('chromium', [...flags, `--user-data-dir=${profile.path}`, 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const kill = () => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const leave = () => {
    kill();
    profile.remove();
  };
  process.on('exit', leave);
  const [, , , out, back] = /** @type {any[]} */ (child.stdio);

  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let rest = '';
  back.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    const messages = (rest + text).split('\0');
    rest = String(messages.pop());
    for (const one of messages.map((message) => JSON.parse(message))) waiting.get(one.id)?.(one);
  });
  const ended = new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`chromium ended with ${code}`)));
  });
  ended.catch(() => {});
  const keepAlive = (/** @type {'ref' | 'unref'} */ how) => [child, out, back].forEach((one) => one[how]());
  keepAlive('unref');

  let last = 0;
  return {
    async call(method, params = {}, sessionId) {
      const id = ++last;
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      keepAlive('ref');
      out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      const { result, error } = /** @type {any} */ (await Promise.race([answered, ended]));
      waiting.delete(id);
      if (!waiting.size) keepAlive('unref');
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    async end() {
      child.ref();
      const gone = new Promise((resolve) => child.on('exit', resolve));
      kill();
      await gone;
      process.off('exit', leave);
      profile.remove();
    },
  };
}

/**
 * @param {Browser} browser
 * @param {object} target
 * @param {() => Promise<void>} close
 * @returns {Promise<Page>}
 */
async function pageOf(browser, target, close) {
  const { targetId } = await browser.call('Target.createTarget', target);
  return attached(browser, targetId, close);
}

/**
 * @param {Browser} browser
 * @param {string} targetId
 * @param {() => Promise<void>} close
 * @returns {Promise<Page>}
 */
async function attached(browser, targetId, close) {
  const { call } = browser;
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  /** @type {Page} */
  const page = {
    send: (method, params) => call(method, params, sessionId),
    async evaluate(expression) {
      const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
      return result.value;
    },
    async until(expression) {
      for (const begun = Date.now(); ;) {
        // While it loads, much is missing.
        const value = await page.evaluate(expression).catch(() => false);
        if (value) return value;
        if (Date.now() - begun > 60_000) {
          const text = await page.evaluate('document.body.innerText');
          throw new Error(`never true: ${expression}\n${text.slice(0, 2000)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async frame() {
      for (let tries = 0; tries < 600; tries++) {
        const { targetInfos: found } = await call('Target.getTargets', { filter: [{ type: 'iframe' }] });
        if (found.length) return attached(browser, found[0].targetId, close);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('there is no frame with a process of its own');
    },
    close,
  };
  return page;
}

/** In a browser of its own. @param {string} url @returns {Promise<Page>} */
export async function openPage(url) {
  const browser = startBrowser();
  return pageOf(browser, { url }, browser.end);
}

/** @type {Browser | undefined} */
let shared;

/** In a browser that all tests of a file have, but with nothing of what others left there.
 * @param {string} url @returns {Promise<Page>} */
export async function openTab(url) {
  const browser = (shared ??= startBrowser());
  const { browserContextId } = await browser.call('Target.createBrowserContext');
  return pageOf(browser, { url, browserContextId }, () =>
    browser.call('Target.disposeBrowserContext', { browserContextId }),
  );
}
