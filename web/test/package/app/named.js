/** The same where the bundler copies what is imported, but not what a URL names. */
import { init, open } from 'libcpb';
import reader from 'libcpb/wasm/reader.wasm';
import { told } from './told.js';

await init(new URL(reader, import.meta.url));
await told((url) => open(url));
