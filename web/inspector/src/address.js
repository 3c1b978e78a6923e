/** Addresses as people type them: often without a scheme. */

/** A name, or numbers, that can only be a host: one with a port, an IP address, or one with an end such as .com. */
const PORT = /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}(?=[/?#]|$)/i;
const NEAR = /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])(?=[/?#]|$)/i;
const NAMED = /^([\da-z-]+\.)+[a-z]{2,}(?=\/)/i;

/** The name of a file in a store, in which every character counts. */
const STORED = /^(hf|gs|s3):\/\//i;

/** A complete address; names in stores stay unchanged. @param {string} text */
export const wholeAddress = (text) => (STORED.test(text) ? text : new URL(text, document.baseURI).href);

/** The intended address. Without a host, it is relative to the page. @param {string} text */
export function addressOf(text) {
  const address = text.trim();
  // A host's name and its port look like a scheme, as in `localhost:8000/`.
  if (PORT.test(address)) return `${/:(80)?443(?=[/?#]|$)/.test(address) ? 'https' : 'http'}://${address}`;
  if (NEAR.test(address)) return `http://${address}`;
  if (NAMED.test(address)) return `https://${address}`;
  return address;
}
