import { STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'

/** Fills an element, and ends what is still coming for it. */
export interface ElementFiller {
  fill(elements: readonly HTMLElement[], blockchain: StorageTarget): Promise<unknown>
  stop(element: HTMLElement): void
}

const ELEMENT_NAME = 'hookline-content'

/** Properties, each the attribute of its own. */
const ATTRIBUTES = {
  src: 'data-src',
  mimetype: 'data-mimetype',
  sha256: 'data-sha256',
  type: 'type',
  loading: 'loading',
  api: 'api',
} as const
const NAMES: readonly (keyof typeof ATTRIBUTES)[] = ['src', 'mimetype', 'sha256', 'type', 'loading', 'api']

// Servers have no elements: there the module can be imported, and does nothing.
const BASE_NAME: string = 'HTMLElement'
const Base: typeof HTMLElement = Reflect.get(globalThis, BASE_NAME) ?? Object

/**
 * `<hookline-content class="Bitcoin" data-src="…" data-mimetype="…">`: fills itself when it is in the document, again
 * when an attribute changes, and ends what it was loading then or when it is taken out.
 */
export abstract class ContentElement extends Base {
  static readonly observedAttributes = ['class', 'data-type', 'data-path', ...Object.values(ATTRIBUTES)]
  #scheduled = false

  /** Who fills this element; `undefined` where it is not known which API it is to ask. */
  protected abstract filler(): ElementFiller | undefined

  get src() {
    return this.#get('src')
  }
  set src(value: string) {
    this.#set('src', value)
  }
  get mimetype() {
    return this.#get('mimetype')
  }
  set mimetype(value: string) {
    this.#set('mimetype', value)
  }
  get sha256() {
    return this.#get('sha256')
  }
  set sha256(value: string) {
    this.#set('sha256', value)
  }
  get type() {
    return this.#get('type')
  }
  set type(value: string) {
    this.#set('type', value)
  }
  get loading() {
    return this.#get('loading')
  }
  set loading(value: string) {
    this.#set('loading', value)
  }
  get api() {
    return this.#get('api')
  }
  set api(value: string) {
    this.#set('api', value)
  }

  connectedCallback(): void {
    // What was set before the element was defined lies on the object, and hides the property of the class.
    for (const name of NAMES) {
      if (!Object.hasOwn(this, name)) continue
      const value: unknown = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      this.#set(name, String(value))
    }
    this.#schedule()
  }

  disconnectedCallback(): void {
    // Moved within the document, it is in it again by then.
    queueMicrotask(() => {
      if (!this.isConnected) this.filler()?.stop(this)
    })
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after && this.isConnected) this.#schedule()
  }

  /** Several attributes that change at once are one filling. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      const blockchain = STORAGE_TARGETS.find((target) => this.classList.contains(target))
      if (!this.isConnected || !blockchain || !this.src) return
      this.filler()?.fill([this], blockchain)
    })
  }

  #get(name: keyof typeof ATTRIBUTES): string {
    return this.getAttribute(ATTRIBUTES[name]) ?? ''
  }

  #set(name: keyof typeof ATTRIBUTES, value: string): void {
    if (value === '') this.removeAttribute(ATTRIBUTES[name])
    else this.setAttribute(ATTRIBUTES[name], value)
  }
}

/** Defines the element, unless its name is taken or there are no elements here. */
export function defineContentElement(element: CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(ELEMENT_NAME)) return
  customElements.define(ELEMENT_NAME, element)
}
