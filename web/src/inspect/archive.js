/** Models in zip archives (cpb/archive.h): entries as sources. Uncompressed entries are read by their ranges. */
import { CpbError } from '../errors.js';
import { inTurn } from '../waiting.js';
import { structs } from './structs.js';

/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Source } from '../types.js' */
/** @import { InspectOptions } from './inspect.js' */

/**
 * @typedef {object} Entry
 * @property {number} number
 * @property {string} name
 * @property {number} size
 * @property {boolean} stored
 */

/** As natively: an entry that is not stored is held in memory. */
const HELD = 64 * 2 ** 20;

/** Number of models that an error lists. */
const LISTED = 8;

/** Errors of an archive that cannot be read: the reader of another kind then reports the problem. */
const UNREADABLE = ['FORMAT', 'DAMAGED', 'TRUNCATED', 'UNSUPPORTED'];

const MANIFEST = 'Manifest.json';

/** The folder of a file, with a slash at its end; '' without a folder. @param {string} name */
const folderOf = (name) => name.slice(0, name.lastIndexOf('/') + 1);

class Archive {
  #file;
  #engine;
  /** One entry begins at a time. */
  #inTurn = inTurn();

  /** @param {OpenFile} file @param {import('../wasm/engine.js').Engine} engine whose directory has been read */
  constructor(file, engine) {
    this.#file = file;
    this.#engine = engine;
  }

  /** @param {number} number @returns {Entry} */
  #entry(number) {
    const { instance } = this.#file;
    return instance.scope((scope) => {
      const out = scope.struct(structs.archive_entry);
      this.#engine.call('get', number, out);
      const { name, name_size: length, size, stored } = instance.get(structs.archive_entry, out);
      return { number, name: instance.text(name, length), size, stored: stored !== 0 };
    });
  }

  /** @param {string} name @returns {Entry | undefined} */
  find(name) {
    const { instance } = this.#file;
    const text = new TextEncoder().encode(name);
    const number = instance.scope((scope) => this.#engine.call('find', scope.bytes(text), text.length)) >>> 0;
    return number === 0xffffffff ? undefined : this.#entry(number);
  }

  /** The models in it. @returns {{ count: number, first: Entry[] }} */
  models() {
    const { instance } = this.#file;
    return instance.scope((scope) => {
      const out = scope.alloc(4 * LISTED);
      const count = this.#engine.call('find_models', out, LISTED);
      const numbers = new Uint32Array(instance.view(out, 4 * LISTED).slice().buffer).subarray(0, count);
      return { count, first: [...numbers].map((number) => this.#entry(number)) };
    });
  }

  /** Begins an entry; returns its place if it is stored, and otherwise its content.
   * @param {Entry} entry
   * @param {AbortSignal} [signal] */
  async #begin({ number, size, stored, name }, signal) {
    if (!stored && size > HELD)
      throw new CpbError('LIMIT', `${name} of the archive has ${size} bytes; expected at most ${HELD}: unpack it`);
    const engine = this.#engine;
    const content = new Uint8Array(stored ? 0 : size);
    let at = 0;
    engine.call('read', number);
    await this.#file.drive(engine, {
      signal,
      onStep() {
        if (stored) return true;
        const bytes = engine.peek();
        content.set(bytes, at);
        at += bytes.length;
        return false;
      },
    });
    return { offset: stored ? engine.call('offset') : 0, content };
  }

  /** @param {Entry} entry @param {() => void} [close] @returns {Source} */
  source(entry, close) {
    const { source } = this.#file;
    const { size, stored } = entry;
    /** @type {Promise<{ offset: number, content: Uint8Array }> | undefined} */
    let begun;
    return {
      name: entry.name.slice(folderOf(entry.name).length),
      stat: async () => ({ size }),
      read: async (offset, length, options) => {
        const wanted = Math.min(length, size - offset);
        if (wanted <= 0) return new Uint8Array();
        const beginning = (begun ??= this.#inTurn(() => this.#begin(entry, options?.signal)));
        beginning.catch(() => (begun = undefined));
        const { offset: at, content } = await beginning;
        return stored ? source.read(at + offset, wanted, options) : content.subarray(offset, offset + wanted);
      },
      beside: (name) => {
        const found = this.find(folderOf(entry.name) + name);
        return found && this.source(found);
      },
      get transferred() {
        return source.transferred;
      },
      close,
    };
  }
}

/** @param {OpenFile} file @param {{ signal?: AbortSignal }} options */
async function readArchive(file, { signal }) {
  const engine = file.make('cpb_archive', (scope) => file.instance.c.cpb_archive_new(0, file.limitsIn(scope)));
  await file.drive(engine, { signal });
  return new Archive(file, engine);
}

/** @param {Archive} archive @param {string | undefined} name @returns {Entry | undefined} */
function chosen(archive, name) {
  const { count, first } = archive.models();
  if (name !== undefined) {
    const found = archive.find(name) ?? archive.find(`${name.replace(/\/$/, '')}/${MANIFEST}`);
    if (!found) throw new CpbError('NOT_FOUND', `the zip archive has no file ${JSON.stringify(name)}`);
    return found;
  }
  if (count < 2) return first[0];
  const entries = first.map((entry) => entry.name.replace(`/${MANIFEST}`, ''));
  const text = `a zip archive with ${count} models; expected the name of one, in the option entry`;
  const error = new CpbError('FORMAT', `${text}: ${entries.join(', ')}${count > LISTED ? ', ...' : ''}`);
  throw Object.assign(error, { entries });
}

/** The model that a package's manifest names. @param {Archive} archive @param {Entry} manifest */
async function rootOf(archive, manifest) {
  const bytes = await archive.source(manifest).read(0, manifest.size);
  /** @type {any} */
  let said;
  try {
    said = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // It does not name one.
  }
  const path = said?.itemInfoEntries?.[said.rootModelIdentifier]?.path;
  const found = typeof path === 'string' && archive.find(`${folderOf(manifest.name)}Data/${path}`);
  if (!found) throw new CpbError('FORMAT', `the ${MANIFEST} of the package in the zip archive names no model in it`);
  return found;
}

/**
 * The files next to a SavedModel.
 * @param {Source} model
 * @returns {Promise<Pick<InspectOptions, 'kerasMetadata' | 'fingerprint' | 'checkpoint'>>}
 */
async function besideOf(model) {
  const beside = /** @type {(name: string) => Source | undefined} */ (model.beside);
  const index = beside('variables/variables.index');
  const whole = async (/** @type {string} */ name) => {
    const file = beside(name);
    return file?.read(0, (await file.stat()).size);
  };
  return {
    kerasMetadata: await whole('keras_metadata.pb'),
    fingerprint: await whole('fingerprint.pb'),
    ...(index && { checkpoint: { index, data: (/** @type {string} */ name) => beside(`variables/${name}`) } }),
  };
}

/**
 * The model in an archive, with the files next to it; undefined if the archive contains no model.
 *
 * @param {OpenFile} file the archive, which the source of the model closes
 * @param {{ signal?: AbortSignal, entry?: string }} options
 */
export async function modelIn(file, options) {
  const archive = await readArchive(file, options).catch((error) => {
    if (!UNREADABLE.includes(error?.code)) throw error;
    return undefined;
  });
  const found = archive && chosen(archive, options.entry);
  if (!found) return undefined;
  const entry = found.name.endsWith(`/${MANIFEST}`) ? await rootOf(archive, found) : found;
  const source = archive.source(entry, file.close);
  const isSavedModel = /(^|\/)saved_model\.(c?pb|pbtxt)$/i.test(entry.name);
  return { source, beside: isSavedModel ? await besideOf(source) : {} };
}
