/** A built file: the path that the Worker serves it under, and its integrity hash. */
export interface BuiltAsset {
  path: string
  type: string
  /** For the `integrity` attribute (Subresource Integrity). */
  integrity: string
  /** Bytes before and after compression. */
  size: number
  compressed: number
}

/** By file name, as stored (Brotli-compressed) in client-hook/dist. */
export type BuildManifest = Record<
  | 'hook.js'
  | 'show.js'
  | 'brotli.wasm'
  | 'ipfs.js'
  | 'lazy.js'
  | 'index.js'
  | 'insecure.js'
  | 'sources.js'
  | 'proof.js'
  | 'scrypt.js'
  | 'named.js'
  | 'frames.js'
  | 'streams.js'
  | 'site.js'
  | 'frame.html'
  | 'shell.html'
  | 'worker.js',
  BuiltAsset
>
