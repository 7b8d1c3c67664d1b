import { typeOfBytes } from '../../reader/charset.ts'
import type { HookError } from '../hook-error.ts'
import { providePart } from '../provide-part.ts'
import { addProperties, type ElementFiller, fillChanged } from './content-element.ts'
import { explainError } from './explain-error.ts'
import { FillQueue } from './fill-queue.ts'
import { showInFrame } from './show-in-frame.ts'
import { watchDocument } from './watch-document.ts'

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
  typeOfBytes: typeof typeOfBytes
  showInFrame: typeof showInFrame
}

export const part: LazyPart = {
  createQueue: () => new FillQueue(),
  changed(element, filler) {
    addProperties(element)
    fillChanged(element, () => filler)
  },
  typeOfBytes,
  showInFrame,
  watch: watchDocument,
  explain: explainError,
}
providePart(part)
