/** Reads of the service's own store: two parts of a step may begin with the same one. */
const READ = /^(?:SELECT|WITH|R2 (?:get|head|list)) /

/** The random part of what signed bytes are kept at: bytes signed twice are kept at two places. */
const BUNDLE = /(?<=\bwriter\/\w+\/)[\w-]+/g

/** What a task did, one effect behind the other, for finding what it did twice in a row. */
export class Repeats {
  #done: string[] = []
  readonly #begins: RegExp | undefined

  /** @param begins what each round of a task begins with, where it has rounds: they may be like one another */
  constructor(begins?: RegExp) {
    this.#begins = begins
  }

  /** Notes an effect; says what, be it one effect or several, was done twice in a row with it, where anything was. */
  note(what: string): string | undefined {
    if (this.#begins?.test(what)) this.#done = []
    const done = this.#done
    const end = done.push(what.includes('writer/') ? what.replace(BUNDLE, '*') : what)
    for (let length = 1; 2 * length <= end; length++) {
      if (!this.#isTwice(length)) continue
      const last = done.slice(end - length)
      if (!last.every((one) => READ.test(one))) return last.join(' | ')
    }
    return undefined
  }

  /** Whether the last effects, so many of them, are those before them. */
  #isTwice(length: number): boolean {
    const done = this.#done
    for (let at = done.length - 1; at >= done.length - length; at--) {
      if (done[at] !== done[at - length]) return false
    }
    return true
  }
}
