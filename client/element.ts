import { ContentElement, defineContentElement, type ElementFiller } from '../client-hook/lazy/content-element.ts'
import { startHook } from '../client-hook/start-hook.ts'
import { PARTS, parseBase } from './hook-parts.ts'

/** One helper for each API. */
const fillers = new Map<string, ElementFiller>()
let defaultApi: string | undefined

/** Sets the API for elements without an attribute `api`. */
export function setApi(api: string | URL): void {
  defaultApi = parseBase(api)
  if (typeof document === 'undefined') return
  for (const element of document.querySelectorAll('hookline-content')) {
    if (element instanceof HooklineContent) element.connectedCallback()
  }
}

/**
 * `<hookline-content class="Bitcoin" data-src="<txid>,…" data-mimetype="image/png" api="https://api.example">`: shows
 * verified content inside itself. Attributes, events and limits are those of the page helper; `loading="lazy"` waits
 * until the element is near the viewport. Importing this module defines the element, unless its name is already
 * defined.
 */
export class HooklineContent extends ContentElement {
  protected override filler(): ElementFiller | undefined {
    const api = this.api === '' ? defaultApi : parseBase(new URL(this.api, document.baseURI))
    if (api === undefined) return undefined
    const known = fillers.get(api)
    if (known) return known
    const { filler } = startHook(api, PARTS)
    fillers.set(api, filler)
    return filler
  }
}

defineContentElement(HooklineContent)

declare global {
  interface HTMLElementTagNameMap {
    'hookline-content': HooklineContent
  }
}
