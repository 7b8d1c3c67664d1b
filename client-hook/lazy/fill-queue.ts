/** Elements filled at once. */
const AT_ONCE = 6
/** Distance from the viewport at which content counts as near. */
const MARGIN = '100%'

interface Waiting {
  element: Element
  /** Wait until the element is near the viewport, as `loading="lazy"` of an image does. */
  lazy: boolean
  run(): Promise<void>
  cancel(reason: unknown): void
}

/**
 * Fills a few elements at a time: first those near the viewport, by distance, then the others in document order. Lazy
 * ones are filled only when they are near. Ten thousand placeholders cause six downloads at a time.
 */
export class FillQueue {
  /** In order of arrival. */
  readonly #waiting = new Map<Element, Waiting>()
  /** Near elements, with their distance from the middle of the viewport. */
  readonly #near = new Map<Element, number>()
  readonly #observer: IntersectionObserver
  #running = 0

  constructor() {
    this.#observer = new IntersectionObserver((entries) => this.#look(entries), { rootMargin: MARGIN })
    // A page is printed whole.
    addEventListener('beforeprint', () => {
      for (const waiting of this.#waiting.values()) waiting.lazy = false
      this.#next()
    })
  }

  /** Calls `run` when it is the element's turn; the signal removes it from the queue. */
  add<Result>(
    element: Element,
    { lazy, signal }: { lazy: boolean; signal: AbortSignal },
    run: () => Promise<Result>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#remove(element)
      const waiting: Waiting = { element, lazy, run: () => run().then(resolve, reject), cancel: reject }
      this.#waiting.set(element, waiting)
      signal.addEventListener('abort', () => {
        if (this.#waiting.get(element) !== waiting) return
        this.#remove(element)
        reject(signal.reason)
      })
      this.#observer.observe(element)
      // The observer reports near elements one frame later.
      setTimeout(() => this.#next(), 100)
    })
  }

  #look(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const { top, height } = boundingClientRect
      if (isIntersecting) this.#near.set(target, Math.abs(top + height / 2 - innerHeight / 2))
      else this.#near.delete(target)
    }
    this.#next()
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const waiting = this.#choose()
      if (!waiting) return
      this.#remove(waiting.element)
      this.#running++
      waiting.run().finally(() => {
        this.#running--
        this.#next()
      })
    }
  }

  #choose(): Waiting | undefined {
    let nearest: Element | undefined
    for (const [element, distance] of this.#near) {
      if (
        this.#waiting.has(element) &&
        distance < (nearest ? (this.#near.get(nearest) ?? 0) : Number.POSITIVE_INFINITY)
      ) {
        nearest = element
      }
    }
    if (nearest) return this.#waiting.get(nearest)
    for (const waiting of this.#waiting.values()) if (!waiting.lazy) return waiting
    return undefined
  }

  #remove(element: Element): void {
    this.#waiting.delete(element)
    this.#near.delete(element)
    this.#observer.unobserve(element)
  }
}
