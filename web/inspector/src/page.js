/** The page: one inspector, whose state is in the address: ?url=MODEL#panel=…&at=…&node=… */
import { examples } from './examples.js';
import './inspector.js';

/** @typedef {import('./inspector.js').CpbInspector} CpbInspector */

const inspector = /** @type {CpbInspector} */ (document.querySelector('cpb-inspector'));

function fromAddress() {
  const place = new URLSearchParams(location.hash.slice(1));
  inspector.panel = place.get('panel') ?? 'overview';
  inspector.at = place.get('at') ?? '';
  inspector.node = place.get('node') ?? '';
  const url = new URLSearchParams(location.search).get('url') ?? '';
  if (url && inspector.files.length) inspector.files = [];
  inspector.src = url;
}

function address() {
  const { src, panel, at, node } = inspector;
  const place = new URLSearchParams(
    Object.entries({ panel: panel === 'overview' ? '' : panel, at, node }).filter(([, value]) => value),
  );
  return `${location.pathname}${src ? `?${new URLSearchParams({ url: src })}` : ''}${place.size ? `#${place}` : ''}`;
}

inspector.addEventListener('navigate', () => {
  if (address() !== location.pathname + location.search + location.hash) history.pushState(null, '', address());
});
inspector.addEventListener(
  'open',
  () => (document.title = `${inspector.src.split('/').at(-1) || 'A file'} · Model inspector`),
);
addEventListener('popstate', fromAddress);
inspector.examples = examples;
fromAddress();
