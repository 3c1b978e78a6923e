// Opens a model from an address or a file and shows what is inside. All that it
// knows of the format it has from libcpb; the rest is drawing.
import { CpbError, open } from 'libcpb';

const BATCH = 100; // rows or nodes drawn at a time
const SHOWN = 200_000; // characters of JSON

const $ = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString('en');
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
const text = (error) => (error instanceof Error ? error.message : String(error));

/** The model that is shown. @type {import('libcpb').Message | undefined} */
let model;
/** Aborts the current work. @type {AbortController | undefined} */
let working;

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const button = (label, onclick, properties) =>
  element('button', { type: 'button', className: 'link', onclick, ...properties }, label);

function size(n) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(n, 1)) / 10));
  return power === 0 ? plural(n, 'byte') : `${(n / 1024 ** power).toFixed(1)} ${units[power]}`;
}

// --- One thing at a time, which can be cancelled --------------------------------

/**
 * Does something, shows that it goes on and what it costs, and says what went wrong.
 *
 * @param {string} what
 * @param {(signal: AbortSignal, progress: (share: number) => void) => Promise<void>} act
 */
async function work(what, act) {
  working?.abort();
  const mine = (working = new AbortController());
  const timer = setInterval(showCost, 100);
  $('doing').textContent = `${what}…`;
  $('progress').removeAttribute('value');
  $('progress').hidden = $('cancel').hidden = false;
  $('error').hidden = true;
  let end = '';
  try {
    await act(mine.signal, (share) => ($('progress').value = share));
  } catch (error) {
    if (mine.signal.aborted) end = 'Cancelled.';
    else showError(error);
  } finally {
    clearInterval(timer);
    showCost();
    if (working === mine) {
      $('progress').hidden = $('cancel').hidden = true;
      $('doing').textContent = end;
      working = undefined;
    }
  }
}

function showCost() {
  $('cost').hidden = !model;
  if (!model) return;
  const { requests, bytes } = model.transferred;
  const share = (100 * bytes) / model.size;
  $('cost').textContent =
    `${plural(requests, 'read')} so far, ${count(bytes)} bytes: ` +
    `${share < 0.1 ? 'under 0.1' : share.toFixed(1)} % of the file`;
}

/** Advice, by the error's code. */
const advice = {
  NETWORK: () => [
    'If the model is on another site than this page, that site must allow it to be read, with',
    element(
      'pre',
      {},
      'Access-Control-Allow-Origin: *\n' +
        'Access-Control-Allow-Headers: Range\n' +
        'Access-Control-Expose-Headers: Content-Range, ETag, Retry-After',
    ),
  ],
  RANGE: () => ['Its server must answer range requests with status 206. ', 'Else download the file and drop it here.'],
  TIMEOUT: () => ['Try again, or download the file and drop it here.'],
  FORMAT: () => ['This is neither a .cpb file nor, it seems, a protobuf message.'],
  CHANGED: () => ['Open it again to see the new one.'],
  NOT_FOUND: () => ['The paths under “Where they belong” exist; [i] is an element, ["key"] that of a map.'],
  USAGE: () => ['A message that is not TensorFlow’s needs its type and description: see above.'],
};

function showError(error) {
  const { code = 'Error' } = error instanceof CpbError ? error : {};
  const help = advice[code]?.() ?? [];
  $('error').replaceChildren(
    element('div', {}, element('strong', {}, `${code} `), text(error)),
    ...(help.length > 0 ? [element('div', {}, ...help)] : []),
  );
  $('error').hidden = false;
  console.error(error);
}

// --- Opening ------------------------------------------------------------------------

/** The visitor's choice of a type. */
async function choices() {
  const { type, schema } = $('how').elements;
  const [file] = schema.files;
  return {
    ...(type.value.trim() && { type: type.value.trim() }),
    ...(file && { schema: new Uint8Array(await file.arrayBuffer()) }),
  };
}

/**
 * @param {string | File} input
 * @param {string} [path] of a field to read at once
 */
async function openModel(input, path) {
  const name = typeof input === 'string' ? input : input.name;
  await work(`Opening ${name.split('?')[0]}`, async (signal) => {
    model?.close();
    model = undefined;
    document.querySelector('main').hidden = true;
    model = await open(input, { signal, ...(await choices()) });
    show(typeof input === 'string' ? new URL(input).pathname.split('/').pop() : name);
  });
  if (model && path !== undefined) await readField(path);
}

function show(name) {
  document.title = name;
  const { kind, version, numChunks } = model;
  const facts = {
    File: name,
    Kind: kind === 'cpb' ? 'chunked (.cpb)' : 'plain (.pb)',
    Size: [`${size(model.size).replace(' ', '\u00a0')} `, element('small', {}, `${count(model.size)} bytes`)],
    Type: (model.type ?? 'not known').replaceAll('.', '.\u200b'),
    ...(version && {
      Chunks: count(numChunks),
      Version: [`join ${version.join} `, element('small', {}, `splitter ${version.splitter}`)],
    }),
  };
  $('summary').replaceChildren(
    ...Object.entries(facts).map(([term, value]) =>
      element('div', {}, element('dt', {}, term), element('dd', {}, ...[value].flat())),
    ),
  );
  $('parts').hidden = kind !== 'cpb';
  $('chunks').replaceChildren();
  $('tree').replaceChildren();
  $('json').hidden = $('facts').hidden = true;
  if (kind === 'cpb') {
    const chunkRow = (i) => row(model.chunk(i));
    const moreRow = (more) => element('tr', {}, element('td', { colSpan: 6 }, more));
    inBatches($('chunks'), numChunks, chunkRow, moreRow);
    $('tree').append(nodeItem(model.tree()));
  }
  document.querySelector('main').hidden = false;
}

/** Draws some, and a button for more: there may be 10,000. */
function inBatches(parent, total, draw, wrap, from = 0) {
  const to = Math.min(total, from + BATCH);
  for (let i = from; i < to; i++) parent.append(draw(i));
  if (to === total) return;
  const label = `${count(Math.min(BATCH, total - to))} more of ${count(total - to)}`;
  const more = wrap(
    button(label, () => {
      more.remove();
      inBatches(parent, total, draw, wrap, to);
    }),
  );
  parent.append(more);
}

// --- Chunks ---------------------------------------------------------------------------

/** @param {import('libcpb').Chunk} chunk */
function row(chunk) {
  const cell = (value, className = '') => element('td', { className }, value);
  const label = `chunk ${chunk.index}`;
  const look = () =>
    work(`Looking up ${label}`, async (signal) => {
      const { begin, end, codec, size: bytes, records } = await chunk.stored({ signal });
      const shared = records > 1 ? `, with ${plural(records - 1, 'other')}` : '';
      const how = codec === 'none' ? 'as it is' : codec;
      stored.replaceChildren(`${count(end - begin)} bytes, ${how}${shared}`);
      if (bytes !== chunk.size) stored.append(` (the index is wrong: ${count(bytes)} bytes)`);
    });
  const how = { ariaLabel: `Look up how ${label} is stored` };
  const stored = cell(button('look up', look, how));
  const saved = () =>
    work(`Reading ${label}`, async (signal, progress) =>
      saveStream(chunk.stream({ signal }), chunk.size, `chunk-${chunk.index}.bin`, progress),
    );
  return element(
    'tr',
    {},
    cell(chunk.index, 'number'),
    cell(chunk.type.toLowerCase()),
    cell(count(chunk.size), 'number'),
    cell(count(chunk.position), 'number'),
    stored,
    cell(button('save', saved, { ariaLabel: `Save ${label}` })),
  );
}

/** Gathers a stream and gives it to the visitor as a file. */
async function saveStream(stream, total, name, progress) {
  const pieces = [];
  let got = 0;
  const reader = stream.getReader();
  for (let step; !(step = await reader.read()).done;) {
    // A Blob may lie on the disk; an array may not.
    pieces.push(new Blob([step.value]));
    progress(total > 0 ? (got += step.value.length) / total : 1);
  }
  const href = URL.createObjectURL(new Blob(pieces));
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// --- The tree ---------------------------------------------------------------------------

/** An item for a node; its children are drawn when it is opened. */
function nodeItem(node, above = '', depth = 0) {
  const { path, children, chunk, tags } = node;
  const own = path.slice(above.length).replace(/^\./, '');
  const isSlice = depth > 0 && tags.length === 0;
  const label = isSlice ? '(more of it)' : own || 'message';
  const title = isSlice ? 'more fields of the same message' : path;
  const choose = (/** @type {Event} */ event) => {
    event.preventDefault();
    readField(path);
  };
  const head = [
    button(label, choose, { className: 'link path', title }),
    ...(chunk === undefined ? [] : [element('span', { className: 'chip' }, `chunk ${chunk}`)]),
  ];
  if (children.length === 0) return element('li', {}, ...head);
  const list = element('ul', {});
  const details = element('details', {}, element('summary', {}, ...head), list);
  const draw = () => {
    if (!details.open || list.hasChildNodes()) return;
    const item = (i) => nodeItem(children[i], path, depth + 1);
    inBatches(list, children.length, item, (more) => element('li', {}, more));
  };
  details.addEventListener('toggle', draw);
  details.open = depth < 3;
  return element('li', {}, details);
}

// --- Fields -------------------------------------------------------------------------------

/** @param {string} path */
async function readField(path) {
  const form = $('field').querySelector('form');
  form.elements.path.value = path;
  const omit = form.elements.omit.value;
  await work(`Reading ${path || 'the message'}`, async (signal) => {
    const field = await model.field(path, { signal });
    const value = await field.json({ signal, ...(omit && { omit: Number(omit) }) });
    const json = JSON.stringify(value, null, 2) ?? 'null';
    $('json').textContent =
      json.length > SHOWN ? `${json.slice(0, SHOWN)}\n… (${count(json.length)} characters)` : json;
    const type = field.typeName ?? field.type ?? 'of a type that is not described';
    $('facts').textContent = `${type}, ${plural(field.size, 'byte')}`;
    $('json').hidden = $('facts').hidden = false;
    $('field').scrollIntoView({ block: 'nearest' });
  });
}

// --- What the visitor does ----------------------------------------------------------------

$('open').addEventListener('submit', (event) => {
  event.preventDefault();
  const url = event.target.elements.url.value;
  history.replaceState(null, '', `?${new URLSearchParams({ url })}`);
  openModel(url);
});
$('how').addEventListener('submit', (event) => event.preventDefault());
$('file').addEventListener('change', ({ target }) => target.files[0] && openModel(target.files[0]));
$('field')
  .querySelector('form')
  .addEventListener('submit', (event) => {
    event.preventDefault();
    readField(event.target.elements.path.value);
  });
$('save').addEventListener('click', () =>
  work('Merging', async (signal, progress) => {
    const total = await model.messageSize({ signal });
    await saveStream(model.merged({ signal }), total, 'merged.pb', progress);
  }),
);
$('cancel').addEventListener('click', () => working?.abort());
addEventListener('keydown', ({ key }) => key === 'Escape' && working?.abort());

for (const [name, isOver] of [
  ['dragover', true],
  ['dragleave', false],
  ['drop', false],
]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.toggle('dropping', isOver);
    const file = name === 'drop' && event.dataTransfer?.files[0];
    if (file) openModel(file);
  });
}

const query = new URLSearchParams(location.search);
const url = query.get('url');
if (url) {
  const { href } = new URL(url, location.href);
  $('open').elements.url.value = href;
  openModel(href, query.get('field') ?? undefined);
}
