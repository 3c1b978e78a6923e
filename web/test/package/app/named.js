/** The same where the bundler copies what is imported, but not what a URL names. */
import { init, open } from 'libcpb';
import dictionary from 'libcpb/wasm/dictionary.wasm';
import reader from 'libcpb/wasm/reader.wasm';
import { told } from './told.js';

const at = (path) => new URL(path, import.meta.url);
await init({ reader: at(reader), dictionary: at(dictionary) });
await told((url) => open(url));
