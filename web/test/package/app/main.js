/** A page of a user: opens what its address names and tells the test what it found. */
import { open } from 'libcpb';
import { told } from './told.js';

await told((url) => open(url));
