import { STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'

/** Loads, verifies and shows content in elements. `stop` aborts this for one element. */
export interface ElementFiller {
  fill(elements: readonly HTMLElement[], blockchain: StorageTarget): Promise<readonly object[]>
  stop(element: HTMLElement): void
}

const ELEMENT_NAME = 'hookline-content'

/** Properties that reflect an attribute. */
const ATTRIBUTES = {
  src: 'data-src',
  mimetype: 'data-mimetype',
  sha256: 'data-sha256',
  type: 'type',
  loading: 'loading',
  api: 'api',
} as const
const NAMES: readonly (keyof typeof ATTRIBUTES)[] = ['src', 'mimetype', 'sha256', 'type', 'loading', 'api']

// On a server `HTMLElement` is not defined. The module can be imported there, and defines no element.
const BASE_NAME: string = 'HTMLElement'
const Base: typeof HTMLElement = Reflect.get(globalThis, BASE_NAME) ?? Object

/**
 * `<hookline-content class="Bitcoin" data-src="…" data-mimetype="…">`: loads its content when it is connected to a
 * document and when an observed attribute changes. A new load aborts the previous one. Disconnecting also aborts it.
 */
export abstract class ContentElement extends Base {
  static readonly observedAttributes = ['class', 'data-type', 'data-path', ...Object.values(ATTRIBUTES)]
  #scheduled = false

  /** The filler for the API of this element; `undefined` if no API URL is configured. */
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
    // A property that was set before the element was defined is an own property, which shadows the accessor of the class.
    for (const name of NAMES) {
      if (!Object.hasOwn(this, name)) continue
      const value: unknown = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      this.#set(name, String(value))
    }
    this.#schedule()
  }

  disconnectedCallback(): void {
    // An element that was moved within the document is connected again when the microtask runs.
    queueMicrotask(() => {
      if (!this.isConnected) this.filler()?.stop(this)
    })
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after && this.isConnected) this.#schedule()
  }

  /** Several attribute changes in one task cause one load. */
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

/** Defines the element, unless its name is already defined or the runtime has no elements. */
export function defineContentElement(element: CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(ELEMENT_NAME)) return
  customElements.define(ELEMENT_NAME, element)
}
