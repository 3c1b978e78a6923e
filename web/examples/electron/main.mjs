/**
 * An Electron application that says what a model on the disk serves. Files are read in the main process, by
 * libcpb's entry for Node, in a worker thread; the page gets answers alone, and no access to the disk.
 *
 *     npx electron main.mjs
 */
import { app, BrowserWindow, dialog, ipcMain } from 'electron';
import { fileURLToPath } from 'node:url';
import { choose } from './model.mjs';

ipcMain.handle('choose', () => choose((options) => dialog.showOpenDialog(options)));

await app.whenReady();
const window = new BrowserWindow({
  // Both are Electron's defaults, on which the page's safety rests.
  webPreferences: {
    preload: fileURLToPath(new URL('preload.cjs', import.meta.url)),
    contextIsolation: true,
    sandbox: true,
  },
});
await window.loadFile('index.html');
app.on('window-all-closed', () => app.quit());
