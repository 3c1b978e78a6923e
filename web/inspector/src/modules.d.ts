/** Modules without types of their own, which build.js makes. */
declare module 'models.wasm' {
  const base64: string;
  export default base64;
}
declare module 'numbers.wasm' {
  const base64: string;
  export default base64;
}
declare module 'dictionary.wasm' {
  const base64: string;
  export default base64;
}
declare module 'worker-texts' {
  const texts: Record<string, string>;
  export default texts;
}
