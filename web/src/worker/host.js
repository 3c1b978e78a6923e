/** A Worker of the web. */
import { serve } from './serve.js';

serve(/** @type {any} */ (globalThis));
