/** The page: one inspector, whose state is in the address: ?url=MODEL#panel=…&at=…&node=…, and
 * after these whatever else its `view` has. */
import { addressOf } from './address.js';
import { examples } from './examples.js';
import { partsOf } from './files.js';
import './inspector.js';
import { connectNotebook, isInNotebook } from './notebook.js';

/** @import { CpbInspector } from './inspector.js' */

const inspector = /** @type {CpbInspector} */ (document.querySelector('cpb-inspector'));

function fromAddress() {
  const place = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const { panel = 'overview', at = '', node = '', ...view } = place;
  Object.assign(inspector, { panel, at, node, view });
  const url = addressOf(new URLSearchParams(location.search).get('url') ?? '');
  if (url && inspector.files.length) inspector.files = [];
  inspector.src = url;
}

function address() {
  const { src, panel, at, node, view } = inspector;
  const place = new URLSearchParams(
    Object.entries({ panel: panel === 'overview' ? '' : panel, at, node, ...view }).filter(([, value]) => value),
  );
  return `${location.pathname}${src ? `?${new URLSearchParams({ url: src })}` : ''}${place.size ? `#${place}` : ''}`;
}

inspector.addEventListener('navigate', (event) => {
  if (isInNotebook()) return;
  const { replace } = /** @type {CustomEvent} */ (event).detail;
  if (!replace && address() === location.pathname + location.search + location.hash) return;
  try {
    history[replace ? 'replaceState' : 'pushState'](null, '', address());
  } catch {
    // A page from a disk may change only the part of its address after #.
    location.hash = new URL(address(), location.href).hash;
  }
});
inspector.addEventListener('open', (event) => {
  const { path } = /** @type {CustomEvent} */ (event).detail;
  document.title = `${partsOf(path).slice(-2).join('/')} · Model inspector`;
});
addEventListener('popstate', fromAddress);
inspector.examples = examples;
if (isInNotebook()) connectNotebook(inspector);
else fromAddress();
