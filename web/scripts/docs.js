/**
 * Makes the reference, in Markdown, from the JSDoc of the package's exports, in the types that dist.js has made; it ends
 * with the manual's recipes, for each runtime and for each store. Exports without documentation, and types that are used
 * but not exported, are errors.
 *
 *     node scripts/docs.js [package: web/dist [output: web/dist/docs]]
 *
 * It runs TypeDoc as test/setup.sh installs it.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('..', import.meta.url));
const tools = `${web}test/package/node_modules`;
const dist = resolve(process.argv[2] ?? `${web}dist`);
const out = resolve(process.argv[3] ?? `${dist}/docs`);

const { Application } = await import(`${tools}/typedoc/dist/index.js`);
const folder = mkdtempSync(join(tmpdir(), 'cpb-docs-'));
writeFileSync(
  `${folder}/tsconfig.json`,
  JSON.stringify({
    extends: `${web}tsconfig.json`,
    compilerOptions: { rootDir: dist, skipLibCheck: true, noEmit: true },
    include: [],
    files: [`${dist}/types/node.d.ts`],
  }),
);

const app = await Application.bootstrapWithPlugins({
  plugin: [`${tools}/typedoc-plugin-markdown/dist/index.js`],
  entryPoints: [`${dist}/types/node.d.ts`],
  tsconfig: `${folder}/tsconfig.json`,
  name: 'libcpb',
  readme: 'none',
  disableSources: true,
  out,
  router: 'module',
  entryFileName: 'reference.md',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useHTMLAnchors: true, // whatever makes pages of it may number headings otherwise
  parametersFormat: 'table',
  propertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  requiredToBeDocumented: ['Function', 'Class', 'Variable', 'TypeAlias'],
  validation: { notExported: true, invalidLink: true, notDocumented: true },
});
const project = await app.convert();
if (project) {
  app.validate(project);
  await app.generateOutputs(project);
  appendFileSync(`${out}/reference.md`, recipes('Runtimes', 'Where files are'));
}
rmSync(folder, { recursive: true });
const { errorCount, warningCount } = app.logger;
process.exitCode = project && errorCount + warningCount === 0 ? 0 : 1;

/** Chapters of docs/javascript.md. @param {string[]} titles */
function recipes(...titles) {
  const readme = readFileSync(`${web}../docs/javascript.md`, 'utf8');
  const chapters = titles.map((title) => {
    const [chapter] = new RegExp(`^## ${title}\\n.*?(?=^## )`, 'ms').exec(readme) ?? [];
    if (!chapter) throw new Error(`docs/javascript.md has no chapter ${title}`);
    return chapter;
  });
  return `\n${chapters.join('')}`;
}
