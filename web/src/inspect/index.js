/** What looks inside models; it is loaded when one of these is first called. */
export { diff } from './diff.js';
export { inspect } from './inspect.js';
