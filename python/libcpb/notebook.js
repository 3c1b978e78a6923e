/** The widget of libcpb.show(): the inspector's page in a frame, whose requests go to the kernel (_notebook.py). */

/** Where text is light, the notebook is dark. @param {Element} el */
function themeOf(el) {
  const [r, g, b] = getComputedStyle(el).color.match(/\d+/g)?.map(Number) ?? [];
  return r + g + b > 384 ? 'dark' : 'light';
}

export default {
  render({ model, el }) {
    const view = `${Math.random()}`; // the kernel's messages go to all views of a model
    const frame = document.createElement('iframe');
    frame.title = 'Model inspector';
    frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
    frame.setAttribute('style', `width: 100%; height: ${model.get('height')}px; border: 0; display: block`);
    /** @type {MessagePort | undefined} */
    let port;

    const fromPage = ({ source, data }) => {
      if (source !== frame.contentWindow || data !== 'libcpb: ready') return;
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = ({ data }) => model.send({ view, ...data });
      frame.contentWindow?.postMessage({ shown: model.get('shown'), theme: themeOf(el) }, '*', [channel.port2]);
    };
    const fromKernel = (message, buffers) => {
      if (message.view !== view) return;
      const [first] = buffers.map((one) => new Uint8Array(one.buffer, one.byteOffset, one.byteLength).slice());
      if (message.id === 0) frame.srcdoc = message.error ?? new TextDecoder().decode(first);
      else port?.postMessage({ ...message, bytes: first?.buffer });
    };

    addEventListener('message', fromPage);
    model.on('msg:custom', fromKernel);
    el.append(frame);
    model.send({ view, id: 0 }); // the page itself
    return () => {
      removeEventListener('message', fromPage);
      model.off('msg:custom', fromKernel);
    };
  },
};
