import { toHex } from '../protocol/bytes.ts'
import type { StorageTarget } from '../protocol/chains.ts'
import type { Content } from './content.ts'
import { type FillRequest, needsFrame, readElement } from './elements.ts'
import { HookError } from './hook-error.ts'
import type { FillQueue } from './lazy/fill-queue.ts'
import type { Sha256 } from './sha256.ts'

/** The outcome for one element. */
export interface FillResult {
  element: HTMLElement
  status: 'filled' | 'failed'
  error?: Error
}

/** The verified bytes of a request, or nothing where they are shown already; `site` requests the whole directory of an HTML file. */
export type ReadContent = (
  request: FillRequest,
  options: {
    element: HTMLElement
    site: boolean
    signal: AbortSignal
    onProgress(loaded: number, total: number | undefined): void
  },
) => Promise<Content | undefined>

interface Filling {
  /** The attributes it was filled for: an element whose attributes change later is filled again. */
  key: string
  done: boolean
  /** Aborts filling when the element changes or is removed. */
  abort: AbortController
  result: Promise<FillResult>
}

/** Up to this many elements are filled without the queue, which is a separate part to load. Few pages have more. */
const FEW = 24

/** Not `type` and `class`, which the page and filling change. */
export const REQUEST_ATTRS = ['data-type', 'data-src', 'data-path', 'data-mimetype', 'data-sha256']

/** Shows content in an element after it is verified. */
export type ShowContent = (element: HTMLElement, content: Content, request: FillRequest) => Promise<void>

/** Fills elements, each one once. */
export class Filler {
  readonly #sha256: Sha256
  readonly #read: ReadContent
  readonly #show: ShowContent
  readonly #queue: () => Promise<FillQueue>
  readonly #explain: (error: unknown) => Promise<Error>
  readonly #fillings = new WeakMap<Element, Filling>()
  #lastScript: Promise<unknown> = Promise.resolve()
  /** Elements being filled. */
  #active = 0

  constructor(
    sha256: Sha256,
    read: ReadContent,
    show: ShowContent,
    queue: () => Promise<FillQueue>,
    explain: (error: unknown) => Promise<Error>,
  ) {
    this.#sha256 = sha256
    this.#read = read
    this.#show = show
    this.#queue = queue
    this.#explain = explain
  }

  /** Aborts filling an element. */
  stop(element: Element): void {
    this.#fillings.get(element)?.abort.abort(new HookError('aborted', 'Changed.'))
  }

  /** Fills those of `elements` that are not filled yet, and waits for those that are being filled. */
  fill(elements: readonly HTMLElement[], blockchain: StorageTarget): Promise<FillResult[]> {
    const results: Promise<FillResult>[] = []
    this.#active += elements.length
    for (const element of elements) {
      const known = this.#fillings.get(element)
      if (known?.key === requestKeyOf(element)) {
        if (!known.done) results.push(known.result)
      } else results.push(this.#start(element, blockchain))
    }
    return Promise.all(results).finally(() => {
      this.#active -= elements.length
    })
  }

  #start(element: HTMLElement, blockchain: StorageTarget): Promise<FillResult> {
    this.stop(element)
    const abort = new AbortController()
    const result = this.#take(element, blockchain, abort.signal).then(
      (): FillResult => ({ element, status: 'filled' }),
      async (error: unknown): Promise<FillResult> => ({ element, status: 'failed', error: await this.#explain(error) }),
    )
    const filling: Filling = { key: requestKeyOf(element), done: false, abort, result }
    this.#fillings.set(element, filling)
    element.setAttribute('data-state', 'loading')
    element.ariaBusy = 'true'
    return result.then((outcome) => {
      filling.done = true
      // A newer fill of the same element sets its state.
      if (this.#fillings.get(element) !== filling) return outcome
      if (outcome.status === 'failed') this.#fillings.delete(element)
      element.setAttribute('data-state', outcome.error ? 'error' : 'ready')
      element.ariaBusy = null
      if (outcome.error) {
        // For authors who do not listen to events yet.
        console.warn(outcome.error, element)
        emit(element, 'hook:error', { error: outcome.error })
      } else emit(element, 'hook:ready', {})
      return outcome
    })
  }

  /** Fills an element now, or through the queue if there are many or if it is lazy. */
  async #take(element: HTMLElement, blockchain: StorageTarget, signal: AbortSignal): Promise<void> {
    // On img and iframe the browser itself implements this attribute.
    const lazy = !/^(img|iframe)$/.test(element.localName) && element.getAttribute('loading') === 'lazy'
    const run = () => this.#fill(element, blockchain, signal)
    await (lazy || this.#active > FEW ? (await this.#queue()).add(element, { lazy, signal }, run) : run())
  }

  async #fill(element: HTMLElement, blockchain: StorageTarget, signal: AbortSignal): Promise<void> {
    const request = readElement(element, blockchain)
    const reading = this.#read(request, {
      element,
      signal,
      site: needsFrame(element, request.kind),
      onProgress: (loaded, total) => emit(element, 'hook:progress', { loaded, total }),
    })
    if (!(element instanceof HTMLScriptElement)) return this.#showVerified(element, request, await reading, signal)
    // Scripts run in the order of the document, as those with a src do, however long each one loads.
    const before = this.#lastScript
    const run = reading.then(async (content) => {
      if (!element.hasAttribute('async')) await before
      await this.#showVerified(element, request, content, signal)
    })
    if (!element.hasAttribute('async')) this.#lastScript = run.catch(() => {})
    return run
  }

  async #showVerified(element: HTMLElement, request: FillRequest, content: Content | undefined, signal: AbortSignal) {
    if (!content) return
    if (request.sha256 !== undefined && toHex(await this.#sha256(content.bytes)) !== request.sha256) {
      throw new HookError('not_verified', 'data-sha256')
    }
    signal.throwIfAborted()
    await this.#show(element, content, request)
  }
}

function requestKeyOf(element: Element): string {
  return REQUEST_ATTRS.map((name) => element.getAttribute(name)).join('\n')
}

function emit(element: Element, name: string, detail: object): void {
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
}
