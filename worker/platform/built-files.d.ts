// Files that `npm run build` makes, typed here so that types can be checked before anything is built.

declare module '*.br' {
  const bytes: ArrayBuffer
  export default bytes
}

declare module '*.pack' {
  const bytes: ArrayBuffer
  export default bytes
}

declare module 'brotli-dec-wasm/web/bg.wasm' {
  const module: WebAssembly.Module
  export default module
}
