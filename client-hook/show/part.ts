import type { DecodeBrotli } from '../../reader/brotli/decode-content.ts'
import type { Content } from '../content.ts'
import type { LazyPart } from '../lazy/part.ts'
import type { SortedType } from '../media-type.ts'
import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { Decoder } from './decode.ts'
import { showContent } from './show-content.ts'

/** Decodes and shows content; loaded while the content is being downloaded. */
export interface ShowPart {
  /** `wasm` loads the decoder for browsers that have none. */
  start(tools: PartTools, wasm: (() => Promise<Response>) | undefined): Shower
}

export interface Shower {
  decode(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  decodeBrotli: DecodeBrotli
  /** `lazy` loads what decodes text. */
  show(element: HTMLElement, content: Content, type: SortedType, lazy: () => Promise<LazyPart>): Promise<void>
}

export const part: ShowPart = {
  start(tools, wasm) {
    const decoder = new Decoder(tools, wasm)
    return {
      decode: (bytes) => decoder.decode(bytes),
      decodeBrotli: (bytes, maxBytes) => decoder.decodeBrotli(bytes, maxBytes),
      show: (element, content, type, lazy) => showContent(tools, element, content, type, lazy),
    }
  },
}

providePart(part)
