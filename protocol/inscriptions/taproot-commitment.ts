import { Point } from '@noble/secp256k1'
import { concatBytes, toHex } from '../bytes.ts'
import { compactSize } from '../transaction.ts'
import type { RevealedScript } from './envelopes.ts'

/** The leaf version of BIP 342. */
const TAPSCRIPT = 0xc0
/** A control block without a Merkle path: the script is the only one that the output commits to. */
const LONE_SCRIPT = 33

/** SHA-256; a promise where the runtime's own is one. */
type Sha256 = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/**
 * Whether a taproot output commits to a script: its key is the control block's internal key, tweaked by the hash of that key and
 * of the script (BIP 341). Only for control blocks of 33 bytes, where the script is the output's only one.
 */
export async function isCommittedTo(
  { script, controlBlock }: RevealedScript,
  outputScript: Uint8Array,
  sha256: Sha256,
): Promise<boolean> {
  if (outputScript.length !== 34 || outputScript[0] !== 0x51 || outputScript[1] !== 32) return false
  const first = controlBlock[0] ?? 0
  if (controlBlock.length !== LONE_SCRIPT || (first & 0xfe) !== TAPSCRIPT) return false
  const key = controlBlock.subarray(1)
  const hash = (tag: string, parts: readonly Uint8Array[]) => taggedHash(tag, parts, sha256)
  const leaf = await hash('TapLeaf', [Uint8Array.of(TAPSCRIPT), compactSize(script.length), script])
  const tweak = BigInt(`0x${toHex(await hash('TapTweak', [key, leaf]))}`)
  try {
    // An x without a point, and a tweak that is zero or no scalar, throw.
    const output = Point.fromBytes(concatBytes([Uint8Array.of(2), key])).add(Point.BASE.multiply(tweak, false))
    const [parity = 0, ...x] = output.toBytes(true)
    return (parity & 1) === (first & 1) && x.every((byte, index) => byte === outputScript[index + 2])
  } catch {
    return false
  }
}

/** BIP 340. */
async function taggedHash(tag: string, parts: readonly Uint8Array[], sha256: Sha256): Promise<Uint8Array> {
  const prefix = await sha256(new TextEncoder().encode(tag))
  return await sha256(concatBytes([prefix, prefix, ...parts]))
}
