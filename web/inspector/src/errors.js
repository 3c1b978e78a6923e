/** Explains errors to the reader of a model, with advice. */
import { html, nothing } from 'lit';
import { count, plain, told } from './format.js';
import { kinds } from './model/kinds.js';

/** The headers with which a server lets pages of other origins read it by range. */
const rules = () => `Access-Control-Allow-Origin: ${location.origin}
Access-Control-Allow-Headers: Range
Access-Control-Expose-Headers: Content-Range, ETag, Retry-After`;

const bucketRules = () =>
  JSON.stringify(
    {
      CORSRules: [
        {
          AllowedOrigins: [location.origin],
          AllowedMethods: ['GET'],
          AllowedHeaders: ['Range'],
          ExposeHeaders: ['Content-Range', 'ETag', 'Retry-After'],
          MaxAgeSeconds: 3600,
        },
      ],
    },
    null,
    2,
  );

const corsHelp = () =>
  html` <p>
      The model is on another server than this page. If the file exists, that server must allow this page to read it,
      with these headers:
    </p>
    <pre tabindex="0" aria-label="Headers to answer with">${rules()}</pre>
    <details>
      <summary>For an S3 bucket</summary>
      <pre tabindex="0" aria-label="Rules of the bucket">
aws s3api put-bucket-cors --bucket NAME --cors-configuration '${bucketRules()}'</pre>
    </details>
    <p>
      For other stores, see “CORS” in libcpb’s <code>docs/javascript.md</code>. Or download the model and drop it here:
      nothing leaves your machine.
    </p>`;

const files = Object.values(kinds).map((kind) => kind.files);
const KINDS = `This page opens ${files.slice(0, -1).join(', ')} and ${files.at(-1)}.`;

/** The meaning of an error, with advice, by its code. @type {Record<string, [means: string, advice: string]>} */
const meanings = {
  DAMAGED: [
    'The file is damaged',
    'Copy or download it again, and compare its checksum with that of the original. Of a .cpb, cpb recover copies the chunks that can be read.',
  ],
  TRUNCATED: [
    'The file ends too early',
    'The copy or download was probably interrupted: compare its size with that of the original.',
  ],
  FORMAT: ['Not a model', KINDS],
  UNSUPPORTED: ['The file uses a feature that is not supported', 'A newer version of this page may support it.'],
  LIMIT: [
    'The file exceeds a limit',
    'The limit protects this page from hostile files. If you trust this one, use the command cpb inspect with --limit.',
  ],
  BUDGET: ['This would read more than is allowed', 'Ask for less of the model at once.'],
  MEMORY: ['Out of memory', 'Close other tabs and try again, or use the command cpb inspect, which needs less memory.'],
  NOT_FOUND: [
    'Not found in this model',
    'The link may belong to another version of the model. Search for a part of the name, or start from the overview.',
  ],
  SLICE: ['The array has no such slice', 'Write it as NumPy does, such as [0, :, 3], [..., -1] or [::2].'],
  READ: ['The file cannot be read', 'It may have been moved or changed, or its permissions were. Choose it again.'],
  WRITE: ['The file cannot be written', 'Is there enough space?'],
  HTTP: ['The server refused the request', 'Check the address, or try again later.'],
  NETWORK: [
    'The server cannot be reached, or does not allow this page to read the file',
    'Is the server running, and can you open the address in another tab?',
  ],
  TIMEOUT: ['The server did not respond in time', 'Try again; or download the file, and drop it here.'],
  RANGE: [
    'The server does not support range requests correctly',
    'Download the file, and drop it here: then only what you look at is read from the disk.',
  ],
  CHANGED: ['The file changed while it was read', 'Open it again to see what is in it now.'],
  TRAPPED: [
    'The reader failed',
    'Try again. If it happens again with this file, that is a bug in this page: please report it.',
  ],
  CLOSED: ['The model was closed', 'Open it again.'],
  CANCELLED: ['Cancelled', 'Nothing was lost: try again when you like.'],
  USAGE: [
    'This question cannot be asked',
    'The link may belong to another version of this page. Start from the overview.',
  ],
};

/** The meaning of a server's status. @type {Record<number, string>} */
const statuses = {
  401: 'The server asks for a password. Ask the owner for a signed link, which needs none, or download the file and drop it here.',
  403: 'You are not allowed to read it, or a signed link has expired: ask the owner for a new one. Some stores also answer 403 if the file does not exist.',
  404: 'There is no such file. Check the address: it must lead to a file such as saved_model.pb, or to its folder.',
  429: 'The server gets too many requests. Try again in a minute.',
};

/** @param {any} error @returns {string | undefined} */
function adviceOn({ code, status }) {
  if (code === 'HTTP')
    return statuses[status] ?? (status >= 500 ? 'The server has a problem. Try again later.' : meanings.HTTP?.[1]);
  return meanings[code]?.[1];
}

/** A folder without a model: the names that were tried. @param {{ name: string, why: string }[]} tried */
const emptyFolder = (tried) =>
  html`<p><strong>No model was found in this folder</strong></p>
    <p>These were tried:</p>
    <ul>
      ${tried.map(({ name, why }) => html`<li><code>${plain(name)}</code>: ${plain(why)}</li>`)}
    </ul>
    <p>Give the address of the model’s own file. ${KINDS}</p>`;

/** @param {any} error */
function explained(error) {
  // The page itself says more about CORS.
  const cors = /CORS/.test(error?.message);
  const message = told(error?.message ?? error)
    .replace(/; perhaps its CORS rules.*/s, '')
    .replace(/^[a-z](?!\w*:)/, (c) => c.toUpperCase());
  const advice = cors ? undefined : adviceOn(Object(error));
  const placed = error?.offset == null || /offset|byte \d/.test(message);
  return html`<p>
      <strong>${meanings[error?.code]?.[0] ?? 'An unexpected error occurred'}</strong
      >${error?.code ? html`<code>${error.code}</code>` : nothing}
    </p>
    <p>${message}${placed ? nothing : ` (at byte ${count(error.offset)})`}</p>
    ${cors ? corsHelp() : nothing} ${advice ? html`<p>${advice}</p>` : nothing}`;
}

/** An error, and what can be done about it. @param {any} error @param {() => unknown} [again] */
export function failure(error, again) {
  const retry = again && html`<p><button @click=${again}>Try again</button></p>`;
  if (error?.name === 'AbortError')
    return html`<div class="empty" role="status">
      <p>Cancelled.</p>
      ${retry}
    </div>`;
  return html`<div class="failure" role="alert">
    ${error?.tried ? emptyFolder(error.tried) : explained(error)} ${retry}
  </div>`;
}

/** @param {{ offset?: number | null, text: string, damage?: boolean }[] | undefined} list */
export function problems(list) {
  const others = list?.filter(({ damage }) => !damage) ?? []; // the page's top reports damage
  return others.length
    ? html`<section class="problems" aria-label="Problems">
        <h3>Parts that could not be read</h3>
        <ul>
          ${others.map(({ text, offset }) => html`<li>${told(text)}${offset == null ? nothing : ` (at byte ${count(offset)})`}</li>`)}
        </ul>
      </section>`
    : nothing;
}
