// Runs cpb-cli.wasm in a browser, with @bjorn3/browser_wasi_shim for WASI. In a project
// with a bundler, import from '@bjorn3/browser_wasi_shim'.
import * as shim from '../../../node_modules/@bjorn3/browser_wasi_shim/dist/index.js';

const { Fd, File, Inode, PreopenDirectory, WASI } = shim;
const { ERRNO_INVAL, ERRNO_PERM, FILETYPE_REGULAR_FILE, OFLAGS_TRUNC } = shim.wasi;
const { Fdstat, Filestat, WHENCE_CUR, WHENCE_END } = shim.wasi;

/** A descriptor that keeps what is written to it. */
class Collected extends Fd {
  pieces = [];

  fd_fdstat_get() {
    return { ret: 0, fdstat: new Fdstat(FILETYPE_REGULAR_FILE, 0) };
  }

  fd_write(data) {
    this.pieces.push(data);
    return { ret: 0, nwritten: data.byteLength };
  }
}

/** The file that the visitor chose. Only requested ranges are read; it is never in memory as a whole. */
class OpenBlob extends Fd {
  at = 0;
  reader = new FileReaderSync();

  constructor(inode) {
    super();
    this.inode = inode;
  }

  fd_fdstat_get() {
    return { ret: 0, fdstat: new Fdstat(FILETYPE_REGULAR_FILE, 0) };
  }

  fd_filestat_get() {
    return { ret: 0, filestat: this.inode.stat() };
  }

  fd_read(size) {
    const part = this.inode.blob.slice(this.at, this.at + size);
    const data = new Uint8Array(this.reader.readAsArrayBuffer(part));
    this.at += data.length;
    return { ret: 0, data };
  }

  fd_seek(offset, whence) {
    const from = { [WHENCE_CUR]: this.at, [WHENCE_END]: this.inode.blob.size }[whence] ?? 0;
    const to = from + Number(offset);
    if (to < 0) return { ret: ERRNO_INVAL, offset: 0n };
    this.at = to;
    return { ret: 0, offset: BigInt(to) };
  }
}

class BlobFile extends Inode {
  constructor(blob) {
    super();
    this.blob = blob;
  }

  path_open(oflags) {
    if (oflags & OFLAGS_TRUNC) return { ret: ERRNO_PERM, fd_obj: null };
    return { ret: 0, fd_obj: new OpenBlob(this) };
  }

  stat() {
    return new Filestat(this.ino, FILETYPE_REGULAR_FILE, BigInt(this.blob.size));
  }
}

/**
 * Runs `cpb WORDS...` in a folder of `files`, by name: Blobs, which only a worker can
 * read, or Uint8Arrays. Answers the exit code, standard output and error as Blobs, and
 * the files that were written.
 */
export async function run(module, words, files) {
  const inode = (file) => (file instanceof Blob ? new BlobFile(file) : new File(file));
  const contents = new Map(Object.entries(files).map(([name, file]) => [name, inode(file)]));
  const given = new Set(contents.values());
  const [input, output, error] = [new Collected(), new Collected(), new Collected()];
  input.fd_read = () => ({ ret: 0, data: new Uint8Array() });

  const folder = new PreopenDirectory('.', contents);
  const descriptors = [input, output, error, folder];
  const wasi = new WASI(['cpb', ...words], ['TMPDIR=.'], descriptors, { debug: false });
  const imports = { wasi_snapshot_preview1: wasi.wasiImport };
  const instance = await WebAssembly.instantiate(module, imports);
  const code = wasi.start(instance);

  const written = [...folder.dir.contents].filter(([, file]) => !given.has(file));
  return {
    code,
    output: new Blob(output.pieces),
    error: new Blob(error.pieces),
    written: Object.fromEntries(written.map(([name, file]) => [name, new Blob([file.data])])),
  };
}
