/** The instances of WebAssembly, counted and measured: to be imported first. */

let count = 0;
/** @type {WeakRef<WebAssembly.Memory>[]} of those that were not collected yet */
let memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = /** @type {any} */ (
  async (/** @type {any} */ ...args) => {
    const instance = await Reflect.apply(instantiate, WebAssembly, args);
    count++;
    memories.push(new WeakRef(/** @type {WebAssembly.Memory} */ (instance.exports.memory)));
    return instance;
  }
);

/** How many there were. */
export const made = () => count;

/** The bytes of all that were not collected yet. */
export function wasm() {
  memories = memories.filter((memory) => memory.deref());
  return memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
}
