import type { DecodeBrotli } from '../../reader/brotli/decode-content.ts'
import type { Content } from '../content.ts'
import type { FillRequest } from '../elements.ts'
import type { LazyPart } from '../lazy/part.ts'
import type { FollowProven, PartTools, Prover } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { Decoder } from './decode.ts'
import { showContent } from './show-content.ts'

// The build inserts its SHA-256 here, in base64.
declare const PROOF_PART: string

/** Decodes and shows content; loaded while the content is being downloaded. */
export interface ShowPart {
  /** `wasm` loads the decoder for browsers that have none. */
  start(tools: PartTools, wasm: (() => Promise<Response>) | undefined): Shower
}

export interface Shower {
  decode(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  decodeBrotli: DecodeBrotli
  follow: FollowProven
  /** `lazy` loads what decodes text. */
  show(element: HTMLElement, content: Content, request: FillRequest, lazy: () => Promise<LazyPart>): Promise<void>
}

export const part: ShowPart = {
  start(tools, wasm) {
    const decoder = new Decoder(tools, wasm)
    let loading: Promise<Prover> | undefined
    const prover = () =>
      (loading ??= tools
        .part('proof', PROOF_PART)()
        .then((part) => part.start(tools)))
    const askedOf = (element: Element | null) => element?.getAttribute('data-proof') ?? tools.dataset.proof
    // Before the content is there, which it is fetched beside.
    if (askedOf(Document.prototype.querySelector.call(document, '[data-proof]')) !== undefined) prover().catch(() => {})
    return {
      decode: (bytes) => decoder.decode(bytes),
      decodeBrotli: (bytes, maxBytes) => decoder.decodeBrotli(bytes, maxBytes),
      follow: async (request, txid) => (await prover()).follow(request, txid),
      show: async (element, content, request, lazy) => {
        const show = () => showContent(tools, element, content, request, lazy)
        await (askedOf(element) === undefined ? show() : (await prover()).prove(element, request, show))
      },
    }
  },
}

providePart(part)
