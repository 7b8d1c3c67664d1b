import { typeOfBytes } from '../../reader/charset.ts'
import type { HookError } from '../hook-error.ts'
import type { NamedPart, StreamsPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { addProperties, type ElementFiller, fillChanged } from './content-element.ts'
import { explainError } from './explain-error.ts'
import { FillQueue } from './fill-queue.ts'
import { plugInside } from './plug-inside.ts'
import { showInFrame } from './show-in-frame.ts'
import { watchDocument } from './watch-document.ts'

// The build inserts their SHA-256 here, in base64.
declare const NAMED_PART: string
declare const STREAMS_PART: string

/**
 * What only some pages need: a queue for many or lazy elements, the custom element, what is added later, frames, the
 * charset of text, and sentences.
 */
export interface LazyPart {
  createQueue(): FillQueue
  /** Called when something has happened to a `<hookline-content>`. */
  changed(element: HTMLElement, filler: ElementFiller): void
  watch(filler: ElementFiller): void
  explain(error: HookError): void
  /** What others wrote, by its name: most pages name none. */
  readNamed: NamedPart
  typeOfBytes: typeof typeOfBytes
  /** Media that plays while it comes, where that can be: see {@link StreamsPart}. */
  stream: StreamsPart['show']
  showInFrame: typeof showInFrame
  plugInside: typeof plugInside
}

export const part: LazyPart = {
  createQueue: () => new FillQueue(),
  changed(element, filler) {
    addProperties(element)
    fillChanged(element, () => filler)
  },
  readNamed: async (tools, ...named) => (await tools.part('named', NAMED_PART)())(tools, ...named),
  typeOfBytes,
  stream: async (tools, ...named) => (await tools.part('streams', STREAMS_PART)()).show(tools, ...named),
  showInFrame,
  plugInside,
  watch: watchDocument,
  explain: explainError,
}
providePart(part)
