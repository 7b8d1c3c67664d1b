/** Asks on a port, where each answer has the number of its request. */
export class PortRequests<Answer extends { id: number }> {
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #count = 0

  ask(send: (id: number) => void): Promise<Answer> {
    const id = this.#count++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      send(id)
    })
  }

  answered(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }
}
