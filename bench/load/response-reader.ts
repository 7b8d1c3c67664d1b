const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Counts complete HTTP/1.1 responses on a persistent connection. It supports only what the bench receives: the expected
 * status, and a Content-Length; a 304 needs none (RFC 9110, section 15.4.5).
 */
export class ResponseReader {
  readonly #status: number
  #head: Buffer | undefined
  #left = 0

  constructor(status: number) {
    this.#status = status
  }

  /**
   * Reads the next bytes; returns the number of responses that ended in them.
   * @throws on any unexpected response
   */
  read(bytes: Buffer): number {
    let ended = 0
    let rest = bytes
    while (rest.length > 0) {
      if (this.#left > 0) {
        const consumed = Math.min(this.#left, rest.length)
        this.#left -= consumed
        rest = rest.subarray(consumed)
        if (this.#left === 0) ended++
        continue
      }
      const known = this.#head ? Buffer.concat([this.#head, rest]) : rest
      const end = known.indexOf(HEAD_END)
      if (end < 0) {
        this.#head = Buffer.from(known)
        break
      }
      this.#head = undefined
      this.#left = this.#bodyLength(known.toString('latin1', 0, end))
      rest = known.subarray(end + HEAD_END.length)
      if (this.#left === 0) ended++
    }
    return ended
  }

  #bodyLength(head: string): number {
    if (!head.startsWith(`HTTP/1.1 ${this.#status} `)) throw new Error(`expected ${this.#status}, got: ${head}`)
    if (this.#status === 304) return 0
    const length = /^content-length: (\d+)\r?$/im.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`)
    return Number(length)
  }
}
