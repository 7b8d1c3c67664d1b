import { STORAGE_TARGETS } from '../../protocol/chains.ts'
import { findElements } from '../elements.ts'
import type { ElementFiller } from './content-element.ts'

const ATTRIBUTES = ['class', 'data-src', 'data-path', 'data-mimetype', 'data-sha256', 'data-type']

/** Fills the elements of a document, those that are added to it or changed later too, and aborts those that are removed. */
export function watchDocument(filler: ElementFiller): void {
  const fill = (elements: readonly HTMLElement[]) => {
    for (const target of STORAGE_TARGETS) {
      const named = elements.filter((element) => element.classList.contains(target))
      // Nobody waits for it; the events of the elements tell what comes of it.
      if (named.length > 0) void filler.fill(named, target)
    }
  }
  fill(elementsIn([document]))
  new MutationObserver((records) => {
    for (const element of elementsIn(records.flatMap(({ removedNodes }) => [...removedNodes]))) {
      if (!element.isConnected) filler.stop(element)
    }
    const changed = records.flatMap(({ type, target, addedNodes }) =>
      type === 'attributes' ? [target] : [...addedNodes],
    )
    fill(elementsIn(changed).filter(({ isConnected }) => isConnected))
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ATTRIBUTES })
}

/** The elements to fill among nodes and below them, each once; without `<hookline-content>`, which watches itself. */
function elementsIn(nodes: readonly Node[]): HTMLElement[] {
  const found = new Set<HTMLElement>()
  for (const node of nodes) {
    if (!(node instanceof Element || node instanceof Document)) continue
    for (const target of STORAGE_TARGETS) {
      for (const element of findElements(node, target)) found.add(element)
      if (node instanceof HTMLElement && node.classList.contains(target)) found.add(node)
    }
  }
  return [...found].filter(({ localName }) => localName !== 'hookline-content')
}
