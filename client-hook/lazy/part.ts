import { typeOfBytes } from '../../reader/charset.ts'
import { providePart } from '../provide-part.ts'
import { ContentElement, defineContentElement, type ElementFiller } from './content-element.ts'
import { FillQueue } from './fill-queue.ts'

/** What only some pages need: a queue for many or lazy elements, the custom element, the charset of text. */
export interface LazyPart {
  createQueue(): FillQueue
  define(filler: ElementFiller): void
  typeOfBytes: typeof typeOfBytes
}

export const part: LazyPart = {
  createQueue: () => new FillQueue(),
  define(filler) {
    defineContentElement(
      class extends ContentElement {
        protected override filler() {
          return filler
        }
      },
    )
  },
  typeOfBytes,
}
providePart(part)
