import { providePart } from '../provide-part.ts'
import { ContentElement, defineContentElement, type ElementFiller } from './content-element.ts'
import { FillQueue } from './fill-queue.ts'

/** What only some pages need: a queue for many or lazy elements, and the custom element. */
export interface LazyPart {
  createQueue(): FillQueue
  define(filler: ElementFiller): void
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
}
providePart(part)
