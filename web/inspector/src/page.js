/** The page: one inspector, whose state is in the address. */
import './inspector.js';

/** @typedef {import('./inspector.js').CpbInspector} CpbInspector */

const inspector = /** @type {CpbInspector} */ (document.querySelector('cpb-inspector'));

function fromAddress() {
  const query = new URLSearchParams(location.search);
  inspector.panel = query.get('panel') ?? 'overview';
  inspector.at = query.get('at') ?? '';
  inspector.src = query.get('url') ?? '';
}

inspector.addEventListener('navigate', () => {
  const query = new URLSearchParams();
  if (inspector.src) query.set('url', inspector.src);
  if (inspector.panel !== 'overview') query.set('panel', inspector.panel);
  if (inspector.at) query.set('at', inspector.at);
  const address = query.size ? `?${query}` : location.pathname;
  if (address !== location.search) history.pushState(null, '', address);
});
addEventListener('popstate', fromAddress);
fromAddress();
