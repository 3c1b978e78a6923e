/** The one thing that the page can do beyond its own. */
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('models', { choose: () => ipcRenderer.invoke('choose') });
