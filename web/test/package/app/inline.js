/** The same with the module in the script. */
import { open } from 'libcpb/inline';
import { told } from './told.js';

await told((url) => open(url));
