/**
 * Browsers, without a driver: each opens page.html, which asks the test server for
 * one file after another and posts what came of it.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { start, temporary, within } from './process.js';

/**
 * @typedef {{command: string[], env?: Record<string, string>}} Launch
 * @typedef {(profile: string, url: string) => Launch} Launcher
 * @type {Record<string, Launcher>}
 */
const launchers = {
  chromium: (profile, url) => ({
    command: [
      'chromium',
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      `--user-data-dir=${profile}`,
      url,
    ],
  }),
  firefox: (profile, url) => {
    writeFileSync(`${profile}/user.js`, firefoxPreferences);
    return { command: ['firefox-esr', '--headless', '--no-remote', '--profile', profile, url] };
  },
  webkit: (profile, url) => ({
    command: ['xvfb-run', '--auto-servernum', miniBrowser(), url],
    env: {
      HOME: profile,
      XDG_CACHE_HOME: profile,
      XDG_CONFIG_HOME: profile,
      XDG_DATA_HOME: profile,
      XDG_RUNTIME_DIR: profile,
      TMPDIR: profile,
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1',
    },
  }),
};

const firefoxPreferences = Object.entries({
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.max_script_run_time': 0,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
})
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  .join('');

/** WebKitGTK's own small browser, which comes with the library. */
function miniBrowser() {
  for (const architecture of readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'))) {
    for (const version of ['4.1', '4.0', '6.0']) {
      const path = `/usr/lib/${architecture}/webkit2gtk-${version}/MiniBrowser`;
      if (existsSync(path)) return path;
    }
  }
  throw new Error('MiniBrowser is not installed; web/test/setup.sh does that');
}

/** Opens a page with a new profile. @param {string} name @param {string} url */
export function launch(name, url) {
  const profile = temporary();
  const { command, env } = /** @type {Launcher} */ (launchers[name])(profile.path, url);
  const child = start(command, env);
  return {
    ended: child.ended,
    output: child.output,
    async close() {
      await child.close();
      profile.remove();
    },
  };
}

/** @typedef {(runtime: string, file: string) => Promise<any>} Ask */

/**
 * What the page and the runner exchange: files go out by `/-/next`, results come
 * back by `/-/report`.
 */
export function exchange() {
  /**
   * For each runtime the next file, or who asked for it, and who waits for its results.
   * @type {Map<string, any>}
   */
  const rooms = new Map();
  const room = (/** @type {URL} */ url) => {
    const name = url.searchParams.get('runtime') ?? '';
    if (!rooms.has(name)) rooms.set(name, {});
    return /** @type {any} */ (rooms.get(name));
  };
  /** @type {Record<string, import('./server.js').Handler>} */
  const handlers = {
    '/-/next': async (_, response, url) => {
      const here = room(url);
      const file = here.file ?? (await within(new Promise((resolve) => (here.asked = resolve)), 20_000));
      here.file = here.asked = undefined;
      response.writeHead(file ? 200 : 204, {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
      });
      response.end(file ? JSON.stringify({ file }) : undefined);
    },
    '/-/report': async (request, response, url) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      response.writeHead(204).end();
      room(url).reported?.({ file: url.searchParams.get('file'), ...JSON.parse(body) });
    },
  };
  return {
    handlers,
    /** Gives a file out and waits for its results. @type {Ask} */
    ask(runtime, file) {
      const here = room(new URL(`http://x/?runtime=${runtime}`));
      const report = new Promise((resolve) => {
        here.reported = (/** @type {any} */ result) => result.file === file && resolve(result);
      });
      if (here.asked) here.asked(file);
      else here.file = file;
      return report;
    },
  };
}

/**
 * @param {'chromium' | 'firefox' | 'webkit'} name
 * @param {{base: string, other: string, ask: Ask}} server
 * @returns {Promise<import('./run.js').Session>}
 */
export async function startBrowser(name, server) {
  const query = new URLSearchParams({ runtime: name, other: server.other });
  if (process.env.CPB_TEST_ALL) query.set('all', '');
  const open = () => launch(name, `${server.base}/web/test/runtimes/page.html?${query}`);

  /** @type {ReturnType<typeof open> | undefined} */
  let browser = open();

  return {
    async run(file, limit) {
      browser ??= open();
      const gone = browser.ended.then(({ code, output }) => ({
        crash: `the browser ended with ${code}\n${output.slice(-3000)}`,
      }));
      const report = await within(Promise.race([server.ask(name, file), gone]), limit);
      if (report?.results) return summary(report.results, report.errors);
      const text = report?.crash ?? `no answer after ${limit} ms\n${browser.output().slice(-3000)}`;
      await browser.close();
      browser = undefined;
      return { passed: 0, failed: 1, skipped: 0, reasons: [], text };
    },
    async stop() {
      await browser?.close();
    },
  };
}

/**
 * @param {import('../support/test.js').Result[]} results
 * @param {string[]} [errors] outside of tests
 * @returns {import('./run.js').Outcome}
 */
export function summary(results, errors = []) {
  /** @type {(status: string) => import('../support/test.js').Result[]} */
  const those = (status) => results.filter((result) => result.status === status);
  return {
    passed: those('passed').length,
    failed: those('failed').length + errors.length,
    skipped: those('skipped').length,
    reasons: those('skipped').map(({ name, text }) => `${name}: ${text}`),
    text: [...errors, ...those('failed').map(({ name, text }) => `not ok - ${name}\n${text}`)].join('\n'),
  };
}
