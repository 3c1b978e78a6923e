// node tools/sizes.js [--check FOLDER]: writes docs/sizes.md, the sizes of the WebAssembly modules
// in build/web and build/wasi. With --check, says which modules of build/FOLDER the page is wrong
// about by more than 1 %, and exits with 1: compilers of other releases make slightly other code.
// One that is as large as the page says to 0.1 KB is not compressed for that, which takes seconds.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const root = new URL('../', import.meta.url);
const page = new URL('docs/sizes.md', root);
const folders = {
  web: 'The JavaScript package ([web.md](web.md))',
  wasi: 'WASI ([wasi/](../wasi/README.md), [reactor](../wasi/reactor/README.md))',
};

/** @param {Uint8Array} bytes */
function brotli(bytes) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LGWIN]: 24,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).length;
}

/**
 * The modules of a build by name, each with its sizes in bytes.
 *
 * @param {string} folder
 * @param {(name: string, raw: number) => boolean} [known] leaves out those whose size is
 */
function measured(folder, known = () => false) {
  const path = new URL(`build/${folder}/`, root);
  const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.wasm')) : [];
  return names.sort().flatMap((name) => {
    const bytes = readFileSync(new URL(name, path));
    return known(name, bytes.length) ? [] : [{ name, raw: bytes.length, brotli: brotli(bytes) }];
  });
}

const kilobytes = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1);

/** @param {[string, string]} folder */
function table([folder, title]) {
  const rows = measured(folder).map(
    ({ name, raw, brotli }) => `| \`${name}\` | ${kilobytes(raw)} | ${kilobytes(brotli)} |`,
  );
  if (rows.length === 0) throw new Error(`build/${folder} has no modules: build them first`);
  return `## ${title}\n\n| module | KB | after \`brotli -q 11\` |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** What the page says of a module: KB, and KB compressed. @param {string} name */
function stated(name) {
  const row = readFileSync(page, 'utf8').match(new RegExp(`\`${name}\` \\| (\\S+) \\| (\\S+)`));
  return row ? { raw: Number(row[1]), brotli: Number(row[2]) } : undefined;
}

/** @param {string} folder */
function check(folder) {
  const known = (/** @type {string} */ name, /** @type {number} */ raw) =>
    kilobytes(raw) === stated(name)?.raw.toFixed(1);
  const wrong = measured(folder, known).filter(({ name, raw, brotli }) => {
    const said = stated(name);
    const differs = (/** @type {number} */ is, /** @type {number} */ says) => Math.abs(is / 1000 - says) > is / 100_000;
    return !said || differs(raw, said.raw) || differs(brotli, said.brotli);
  });
  for (const { name, raw, brotli } of wrong)
    console.log(`docs/sizes.md is wrong about ${name}: ${kilobytes(raw)} KB, ${kilobytes(brotli)} compressed`);
  if (wrong.length > 0) console.log('node tools/sizes.js writes it again');
  return wrong.length === 0;
}

if (process.argv[2] === '--check') {
  process.exitCode = check(process.argv[3]) ? 0 : 1;
} else {
  const intro = '`node tools/sizes.js` writes this page; tests compare it with what they build.';
  const tables = Object.entries(folders).map(table);
  writeFileSync(page, `# Sizes of the WebAssembly modules\n\n${intro}\n\n${tables.join('\n')}`);
}
