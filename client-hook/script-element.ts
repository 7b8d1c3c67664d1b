/**
 * The running script element. An element named `currentScript` (`<img name="currentScript">`) replaces
 * `document.currentScript` (CVE-2024-43788 and similar); it cannot replace the getter on the prototype.
 */
export function runningScript(): HTMLScriptElement | undefined {
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get
  const script: unknown = getter?.call(document)
  return script instanceof HTMLScriptElement ? script : undefined
}

/** A new element, even if an element named `createElement` hides the method of the document. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  const { createElement: create }: { createElement(name: Name): HTMLElementTagNameMap[Name] } = Document.prototype
  return create.call(document, name)
}
