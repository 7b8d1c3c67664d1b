import { concatBytes } from './bytes.ts'

const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d
const OP_PUSHDATA4 = 0x4e
const OP_1NEGATE = 0x4f
const OP_RESERVED = 0x50
const OP_16 = 0x60
const OP_RETURN = 0x6a

/**
 * The data of an output script: the bytes of its pushes, in order. `undefined` if it is no OP_RETURN script, ends inside a
 * push, or contains anything but pushes (Bitcoin Core's IsPushOnly): such an output has no data, others of the transaction
 * still can.
 */
export function readOpReturn(script: Uint8Array): Uint8Array[] | undefined {
  if (script[0] !== OP_RETURN) return undefined
  const pushes: Uint8Array[] = []
  const view = new DataView(script.buffer, script.byteOffset, script.byteLength)
  let offset = 1
  while (offset < script.length) {
    const opcode = script[offset++] ?? 0
    if (opcode > OP_16 || opcode === OP_RESERVED) return undefined
    if (opcode >= OP_1NEGATE) {
      // OP_1NEGATE pushes -1, which script numbers write as the one byte 0x81.
      pushes.push(Uint8Array.of(opcode === OP_1NEGATE ? 0x81 : opcode - OP_RESERVED))
      continue
    }
    let length = opcode
    if (opcode >= OP_PUSHDATA1) {
      const width = opcode === OP_PUSHDATA1 ? 1 : opcode === OP_PUSHDATA2 ? 2 : 4
      if (offset + width > script.length) return undefined
      length =
        width === 1 ? view.getUint8(offset) : width === 2 ? view.getUint16(offset, true) : view.getUint32(offset, true)
      offset += width
    }
    if (length > script.length - offset) return undefined
    pushes.push(script.subarray(offset, offset + length))
    offset += length
  }
  return pushes
}

/**
 * The data of one transaction: every push of every OP_RETURN output, in order. `undefined` when that is no
 * byte at all.
 */
export function opReturnData(scripts: readonly Uint8Array[]): Uint8Array[] | undefined {
  const pushes: Uint8Array[] = []
  for (const script of scripts) {
    for (const push of readOpReturn(script) ?? []) if (push.length > 0) pushes.push(push)
  }
  return pushes.length > 0 ? pushes : undefined
}

/** The shortest OP_RETURN script with `data` as its only push. */
export function writeOpReturn(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatBytes([Uint8Array.of(OP_RETURN), pushPrefix(data.length), data])
}

/** Bytes of the opcode and length before a push of `length` bytes: 1, 2, 3 or 5. */
export function pushPrefix(length: number): Uint8Array<ArrayBuffer> {
  if (length < OP_PUSHDATA1) return Uint8Array.of(length)
  if (length <= 0xff) return Uint8Array.of(OP_PUSHDATA1, length)
  if (length <= 0xffff) return Uint8Array.of(OP_PUSHDATA2, length & 0xff, length >> 8)
  const prefix = new Uint8Array(5)
  prefix[0] = OP_PUSHDATA4
  new DataView(prefix.buffer).setUint32(1, length, true)
  return prefix
}
