/** What the page may ask for. */
import { CpbError, inspectInWorker } from 'libcpb';

/**
 * Lets the visitor choose a model, of which no more is read than its overview takes.
 *
 * @param {(options: object) => Promise<{ canceled: boolean, filePaths: string[] }>} ask Electron's dialog
 * @returns {Promise<object | undefined>} what it serves or why it cannot be read; undefined if none was chosen
 */
export async function choose(ask) {
  const filters = [{ name: 'SavedModels', extensions: ['pb', 'cpb'] }];
  const { canceled, filePaths } = await ask({ properties: ['openFile'], filters });
  if (canceled) return undefined;
  const [path] = filePaths;
  try {
    const model = await inspectInWorker(path, { kind: 'saved_model' });
    try {
      const { signatures } = await model.overview();
      return { path, signatures: signatures.items, transferred: { ...model.transferred } };
    } finally {
      model.close(); // and the worker thread
    }
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    return { path, error: `${error.code}: ${error.message}` };
  }
}
