import type { Language } from '../contract/languages.ts'

/** A built file of the console, stored Brotli-compressed in console/dist. */
interface ConsoleFile {
  /** Path on the API host. */
  path: string
  /** Below console/dist, with `.br`. */
  file: string
  type: string
  /** Whether the path changes when the bytes do. */
  immutable: boolean
  /** For `ETag` and the attribute `integrity` (Subresource Integrity). */
  integrity: string
  /** Bytes before and after compression. */
  size: number
  compressed: number
  /** Whether the sign-in page or the first view needs it: in its language, where it has one. */
  first: boolean
  /** Of texts: which language they are in. Only those of one language are loaded. */
  language?: Language
  /** Whether it is loaded only to compress chosen files; counted separately. */
  compresses: boolean
}

export type ConsoleManifest = ConsoleFile[]
