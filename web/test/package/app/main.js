/** A page of a user: opens what its address names and tells the test what it found. */
import { open, openInWorker } from 'libcpb';
import { told } from './told.js';

const inWorker = new URLSearchParams(location.search).has('worker');
await told((url) => (inWorker ? openInWorker(url) : open(url)));
