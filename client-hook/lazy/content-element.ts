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

  /** The filler for the API of this element; `undefined` if no API URL is configured. */
  protected abstract filler(): ElementFiller | undefined

  get src() {
    return read(this, 'src')
  }
  set src(value: string) {
    write(this, 'src', value)
  }
  get mimetype() {
    return read(this, 'mimetype')
  }
  set mimetype(value: string) {
    write(this, 'mimetype', value)
  }
  get sha256() {
    return read(this, 'sha256')
  }
  set sha256(value: string) {
    write(this, 'sha256', value)
  }
  get type() {
    return read(this, 'type')
  }
  set type(value: string) {
    write(this, 'type', value)
  }
  get loading() {
    return read(this, 'loading')
  }
  set loading(value: string) {
    write(this, 'loading', value)
  }
  get api() {
    return read(this, 'api')
  }
  set api(value: string) {
    write(this, 'api', value)
  }

  connectedCallback(): void {
    this.#changed()
  }

  disconnectedCallback(): void {
    this.#changed()
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.#changed()
  }

  #changed(): void {
    fillChanged(this, () => this.filler())
  }
}

/** Elements that are looked at when the task ends. */
const scheduled = new WeakSet<Element>()

/**
 * Fills an element that was connected or whose attributes have changed, and aborts filling one that was disconnected. Several
 * changes in one task cause one load.
 */
export function fillChanged(element: HTMLElement, filler: () => ElementFiller | undefined): void {
  // A property that was set before the element was defined is an own property, which shadows the accessor of the class.
  for (const name of NAMES) {
    if (!Object.hasOwn(element, name)) continue
    const value: unknown = Reflect.get(element, name)
    Reflect.deleteProperty(element, name)
    write(element, name, String(value))
  }
  if (scheduled.has(element)) return
  scheduled.add(element)
  // An element that was moved within the document is connected again when the microtask runs.
  queueMicrotask(() => {
    scheduled.delete(element)
    const blockchain = STORAGE_TARGETS.find((target) => element.classList.contains(target))
    if (!element.isConnected) filler()?.stop(element)
    else if (blockchain && read(element, 'src')) filler()?.fill([element], blockchain)
  })
}

/** Gives the class of an element the properties of a {@link ContentElement}. */
export function addProperties(element: HTMLElement): void {
  const prototype: object = Object.getPrototypeOf(element)
  if (Object.hasOwn(prototype, 'mimetype')) return
  for (const name of NAMES) {
    const property = Object.getOwnPropertyDescriptor(ContentElement.prototype, name)
    if (property) Object.defineProperty(prototype, name, property)
  }
}

function read(element: Element, name: keyof typeof ATTRIBUTES): string {
  return element.getAttribute(ATTRIBUTES[name]) ?? ''
}

function write(element: Element, name: keyof typeof ATTRIBUTES, value: string): void {
  if (value === '') element.removeAttribute(ATTRIBUTES[name])
  else element.setAttribute(ATTRIBUTES[name], value)
}

/** Defines the element, unless its name is already defined or the runtime has no elements. */
export function defineContentElement(element: CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(ELEMENT_NAME)) return
  customElements.define(ELEMENT_NAME, element)
}
