/** A built file of the console, as it lies Brotli-compressed in console/dist. */
interface ConsoleFile {
  /** Path on the API host. */
  path: string
  /** Below console/dist, with `.br`. */
  file: string
  type: string
  /** Whether the path changes when the bytes do. */
  immutable: boolean
  /** For `ETag`, and for the `integrity` of whoever checks it (Subresource Integrity). */
  integrity: string
  /** Bytes before and after compression. */
  size: number
  compressed: number
  /** Whether the sign-in page or the first view asks for it before it is usable. */
  first: boolean
  /** Whether it is loaded only to compress what was chosen: counted apart. */
  compresses: boolean
}

export type ConsoleManifest = ConsoleFile[]
