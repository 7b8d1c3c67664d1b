import { REQUEST_ATTRS } from './fill.ts'

const NAME = 'hookline-content'

/**
 * Defines `<hookline-content>`, so that one that is added to the page at any time is noticed; what happens to it is passed to
 * `changed`, since a lazy part has the rest.
 */
export function defineStub(changed: (element: HTMLElement) => void): void {
  if (customElements.get(NAME)) return
  customElements.define(
    NAME,
    class extends HTMLElement {
      static observedAttributes = [...REQUEST_ATTRS, 'class', 'type']
      connectedCallback() {
        changed(this)
      }
      disconnectedCallback() {
        changed(this)
      }
      attributeChangedCallback() {
        if (this.isConnected) changed(this)
      }
    },
  )
}
