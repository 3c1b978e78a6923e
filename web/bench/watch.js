/** In a browser: opens a page in a frame, and tells the bench when it is there, or why it never will be. */
const { page = '', condition, refusal } = Object.fromEntries(new URLSearchParams(location.search));
const evaluate = (/** @type {string | undefined} */ expression) => new Function('document', `return ${expression}`);
const [isThere, refusedWith] = [evaluate(condition), evaluate(refusal)];
const later = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

document.cookie = 'consent=1; path=/'; // Netron asks for consent once, which is not measured
await later(2000); // The browser starts.
await fetch('/-/begin');
const frame = document.createElement('iframe');
frame.src = page;
document.body.append(frame);
for (;;) {
  await later(15);
  const inside = frame.contentDocument;
  if (!inside || inside.URL === 'about:blank') continue;
  const refused = refusedWith(inside);
  const ms = String(frame.contentWindow?.performance.now());
  if (!isThere(inside) && !refused) continue;
  await fetch(`/-/there?${new URLSearchParams({ ms, refused })}`);
  break;
}
