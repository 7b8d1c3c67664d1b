/**
 * The script element that is running. `document.currentScript` itself can be replaced by an element that is named
 * so (`<img name="currentScript">`, CVE-2024-43788 and its kin); the getter on the prototype can't.
 */
export function runningScript(): HTMLScriptElement | undefined {
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get
  const script: unknown = getter?.call(document)
  return script instanceof HTMLScriptElement ? script : undefined
}

/** A new element, also where one named `createElement` hides the method of the document. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  const { createElement: create }: { createElement(name: Name): HTMLElementTagNameMap[Name] } = Document.prototype
  return create.call(document, name)
}
