declare module 'brotli-dec-wasm/web/bg.wasm' {
  const wasm: Uint8Array<ArrayBuffer> | WebAssembly.Module
  export default wasm
}
