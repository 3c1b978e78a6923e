/** Workers of the page that is one file: their texts are in it. */
import texts from 'worker-texts';

/** @param {string} name */
export function startWorker(name) {
  const here = URL.createObjectURL(new Blob([texts[name]], { type: 'text/javascript' }));
  const worker = new Worker(here);
  setTimeout(() => URL.revokeObjectURL(here), 60_000);
  return worker;
}
