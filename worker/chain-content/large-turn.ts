import type PQueue from 'p-queue'

/** A place in a queue that is taken only when it is needed, and given back when `end` is called. */
export class LargeTurn {
  readonly #queue: PQueue
  readonly #ended = Promise.withResolvers<void>()
  #begun: Promise<void> | undefined

  constructor(queue: PQueue) {
    this.#queue = queue
  }

  /** Waits for the turn; at once when it was begun before. */
  begin(): Promise<void> {
    this.#begun ??= new Promise((resolve) => {
      void this.#queue.add(() => {
        resolve()
        return this.#ended.promise
      })
    })
    return this.#begun
  }

  end(): void {
    this.#ended.resolve()
  }
}
