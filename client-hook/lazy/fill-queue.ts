/** Elements that are filled at once. */
const AT_ONCE = 6
/** Content as near as a viewport comes before it is scrolled to. */
const MARGIN = '100%'

interface Waiting {
  element: Element
  /** Waits until it is near the viewport, as `loading="lazy"` of an image does. */
  lazy: boolean
  run(): Promise<void>
  cancel(reason: unknown): void
}

/**
 * Fills elements a few at a time: those near the viewport first, nearest before the others, the rest in the order of
 * the document; lazy ones only when they come near. Ten thousand placeholders are six downloads.
 */
export class FillQueue {
  /** In the order they came. */
  readonly #waiting = new Map<Element, Waiting>()
  /** Distance to the middle of the viewport of those near it. */
  readonly #near = new Map<Element, number>()
  readonly #observer: IntersectionObserver
  #running = 0

  constructor() {
    this.#observer = new IntersectionObserver((entries) => this.#look(entries), { rootMargin: MARGIN })
  }

  /** Runs `run` when it is the element's turn; the signal takes it out of the queue. */
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
      // What stands near the viewport is known a frame later.
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
