/** The same with all code in one file. */
import { open, openInWorker } from 'libcpb/inline';
import { told } from './told.js';

const inWorker = new URLSearchParams(location.search).has('worker');
await told((url) => (inWorker ? openInWorker(url) : open(url)));
