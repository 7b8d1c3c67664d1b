import type { Asked } from '../kit/in-process/memory-d1.ts'

/** Reads of the service's own store: two parts of a step may begin with the same one. */
const READ = /^(?:SELECT|WITH|R2 (?:get|head|list)) /

/** The random part of what signed bytes are kept at: bytes signed twice are kept at two places. */
const BUNDLE = /(?<=\bwriter\/\w+\/)[\w-]+/g

/** What a task did, one effect behind the other, for finding what it did twice in a row. */
export class Repeats {
  #done: Asked[] = []
  readonly #begins: string | undefined

  /** @param begins what each round of a task begins with, where it has rounds: they may be like one another */
  constructor(begins?: string) {
    this.#begins = begins
  }

  /** Notes an effect; says what, be it one effect or several, was done twice in a row with it, where anything was. */
  note(what: Asked): string | undefined {
    const begins = this.#begins
    if (begins !== undefined && what.some((part) => typeof part === 'string' && part.includes(begins))) this.#done = []
    const done = this.#done
    const end = done.push(what.map(withoutBundle))
    for (let length = 1; 2 * length <= end; length++) {
      if (!this.#isTwice(length)) continue
      const last = done.slice(end - length)
      if (!last.every(([first]) => READ.test(String(first)))) return last.map((one) => one.join(' ')).join(' | ')
    }
    return undefined
  }

  /** Whether the last effects, so many of them, are those before them. */
  #isTwice(length: number): boolean {
    const done = this.#done
    for (let at = done.length - 1; at >= done.length - length; at--) {
      if (!isSame(done[at], done[at - length])) return false
    }
    return true
  }
}

function isSame(a: Asked = [], b: Asked = []): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index])
}

function withoutBundle(part: unknown): unknown {
  return typeof part === 'string' && part.includes('writer/') ? part.replace(BUNDLE, '*') : part
}
