/**
 * A first answer about a frozen graph. The graph has no index, so all of it must be searched for its nodes, which may
 * take many requests; the inputs are among the first nodes.
 */
import { inspect } from 'libcpb';

/** Milliseconds in which the complete answer may come instead. */
const PATIENCE = 250;
/** Bytes of the beginning, which are read anyway. */
const HEAD = 64 * 1024;

/** @param {Uint8Array<ArrayBuffer>} head @param {number} size of the file */
async function outlineOf(head, size) {
  const part = await inspect(head);
  try {
    const { kind, inputs } = await part.ask('overview');
    const nothing = { items: [], first: 0, total: 0 };
    return { kind, inputs, outputs: nothing, unread: { size }, coming: true, problems: [] };
  } finally {
    part.close();
  }
}

/**
 * @param {() => Promise<any>} ask for the overview
 * @param {import('libcpb').Source} source
 * @param {number} size
 * @returns {(isWhole: boolean) => Promise<any>} the overview; perhaps at first an outline, unless the whole is wanted
 */
export function outlining(ask, source, size) {
  /** @type {Promise<any> | undefined} */
  let whole;
  /** @type {{ error: unknown } | undefined} of an answer that had only an outline */
  let failed;
  const begin = () => {
    whole = ask();
    whole.catch((error) => {
      whole = undefined;
      failed = { error };
    });
    return whole;
  };
  return async (isWhole) => {
    const { error } = failed ?? {};
    failed = undefined;
    if (error) throw error;
    const answer = whole ?? begin();
    if (isWhole) return answer;
    const outline = new Promise((resolve) => setTimeout(resolve, PATIENCE))
      .then(() => source.read(0, Math.min(HEAD, size)))
      .then((head) => outlineOf(/** @type {Uint8Array<ArrayBuffer>} */ (head), size));
    // Without an outline, there is only the complete answer.
    return Promise.race([answer, outline.catch(() => answer)]).finally(() => (failed = undefined));
  };
}
