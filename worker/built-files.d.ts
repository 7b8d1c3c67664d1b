// What `npm run build` makes, typed here so that types can be checked before anything is built.

declare module '*.br' {
  const bytes: ArrayBuffer
  export default bytes
}

declare module '*/dist/manifest.json' {
  interface BuiltAsset {
    path: string
    type: string
    integrity: string
    size: number
    compressed: number
  }
  const manifest: Record<'hook.js' | 'show.js' | 'brotli.wasm' | 'ipfs.js' | 'frame.html', BuiltAsset>
  export default manifest
}
