const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA4 = 0x4e
const OP_1NEGATE = 0x4f
const OP_1 = 0x51
const OP_16 = 0x60

/**
 * Reads a script instruction by instruction, without an object for each: 4 MB can have as many. Any length form of a push is
 * accepted, as in rust-bitcoin's `Script::instructions`.
 */
export class ScriptReader {
  /** Where the next instruction begins; may be set. */
  offset = 0
  /** Of the instruction read last. */
  opcode = 0
  /** Where the data is that it pushes: no bytes of `OP_0`. */
  start = 0
  end = 0
  readonly #script: Uint8Array
  readonly #view: DataView

  constructor(script: Uint8Array, offset = 0) {
    this.#script = script
    this.#view = new DataView(script.buffer, script.byteOffset, script.byteLength)
    this.offset = offset
  }

  /** Reads the next instruction: `cut` for a push that is longer than the script. */
  next(): 'read' | 'end' | 'cut' {
    const left = this.#script.length - this.offset
    if (left <= 0) return 'end'
    this.opcode = this.#view.getUint8(this.offset)
    const width = this.opcode < OP_PUSHDATA1 || !this.pushesBytes ? 0 : 2 ** (this.opcode - OP_PUSHDATA1)
    if (width >= left) return 'cut'
    this.start = this.offset + 1 + width
    const length = this.pushesBytes ? this.#length(this.offset + 1, width) : 0
    if (length > this.#script.length - this.start) return 'cut'
    this.end = this.start + length
    this.offset = this.end
    return 'read'
  }

  /** Whether the instruction read last is a push of bytes, `OP_0` among them. */
  get pushesBytes(): boolean {
    return this.opcode <= OP_PUSHDATA4
  }

  /** The data that the instruction read last pushes, numbers as script numbers; `undefined` of what is no push. */
  get pushed(): Uint8Array | undefined {
    if (this.pushesBytes) return this.#script.subarray(this.start, this.end)
    if (this.opcode === OP_1NEGATE) return Uint8Array.of(0x81)
    return this.opcode >= OP_1 && this.opcode <= OP_16 ? Uint8Array.of(this.opcode - OP_1 + 1) : undefined
  }

  /** Whether the instruction read last is a push of bytes or of a number. */
  get pushes(): boolean {
    return this.pushesBytes || this.opcode === OP_1NEGATE || (this.opcode >= OP_1 && this.opcode <= OP_16)
  }

  #length(at: number, width: number): number {
    switch (width) {
      case 0:
        return this.opcode
      case 1:
        return this.#view.getUint8(at)
      case 2:
        return this.#view.getUint16(at, true)
      default:
        return this.#view.getUint32(at, true)
    }
  }
}
