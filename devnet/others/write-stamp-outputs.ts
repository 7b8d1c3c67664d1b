import { concatBytes, fromHex } from '../../protocol/bytes.ts'
import { arc4 } from '../../protocol/inscriptions/arc4.ts'

/** Bytes of a multisig output's first two keys: all but the first and the last of each. */
const IN_KEYS = 62
/** A key that nobody has, as stamps burn. */
const BURNED = new Uint8Array(33).fill(0x02)

/** Outputs of P2WSH with the length of `data` and the data in their programs. */
export function writeOlga(data: Uint8Array | string): Uint8Array[] {
  const held = withLength(data)
  return Array.from({ length: Math.ceil(held.length / 32) }, (_, index) => {
    const script = new Uint8Array(34)
    script.set([0, 32])
    script.set(held.subarray(32 * index, 32 * index + 32), 2)
    return script
  })
}

/**
 * 1-of-3 multisig outputs whose first two keys have the length of `data` and the data, encrypted with the txid of input 0. The keys
 * are no points, as consensus allows.
 */
export function writeMultisig(data: Uint8Array | string, spent: string): Uint8Array[] {
  const held = withLength(data)
  const padded = new Uint8Array(Math.ceil(held.length / IN_KEYS) * IN_KEYS)
  padded.set(held)
  const encrypted = arc4(fromHex(spent) ?? new Uint8Array(0), padded)
  const key = (start: number) =>
    concatBytes([Uint8Array.of(0x02), encrypted.subarray(start, start + 31), Uint8Array.of(0)])
  return Array.from({ length: padded.length / IN_KEYS }, (_, index) => {
    const keys = [key(index * IN_KEYS), key(index * IN_KEYS + 31), BURNED]
    return concatBytes([
      Uint8Array.of(0x51),
      ...keys.flatMap((each) => [Uint8Array.of(each.length), each]),
      Uint8Array.of(0x53, 0xae),
    ])
  })
}

function withLength(data: Uint8Array | string): Uint8Array {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return concatBytes([Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes])
}
