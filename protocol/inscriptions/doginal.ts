import { concatBytes } from '../bytes.ts'
import { type InscriptionId, littleEndian, readInscriptionId } from './inscription-id.ts'
import { ScriptReader } from './script-reader.ts'

/** The largest script that consensus runs, in bytes. */
const MAX_SCRIPT = 10_000
const DELEGATE_TAG = 11n

/** A doginal as far as its transactions were read, which only its functions change. */
export interface Doginal {
  type: string
  parts: readonly Uint8Array[]
  /** Parts that are missing: transactions that spend an output of the last one have them. */
  missing: number
  delegate: InscriptionId | undefined
}

/**
 * What the scriptSig of input 0 of a doginal's first transaction says: "ord", the number of parts, the media type, then each part
 * behind its number, which counts down to 0, as apezord's `inscription.rs` reads it. `undefined` where it is none.
 */
export function beginDoginal(scriptSig: Uint8Array): Doginal | undefined {
  const pushes = readPushes(scriptSig)
  const [protocol, count, type] = pushes
  if (!count || !type || protocol === undefined || String.fromCharCode(...protocol) !== 'ord') return undefined
  const missing = readNumber(count)
  if (!missing || missing > Number.MAX_SAFE_INTEGER) return undefined
  const begun = { type: new TextDecoder().decode(type), parts: [], missing: Number(missing), delegate: undefined }
  return takeParts(begun, pushes.slice(3))
}

/** The doginal with the parts in a later transaction; `undefined` where its scriptSig does not begin with the next part. */
export function continueDoginal(doginal: Doginal, scriptSig: Uint8Array): Doginal | undefined {
  const pushes = readPushes(scriptSig)
  // Before the parts are copied: blocks may have many that spend the last one and do not go on.
  if (!beginsWithPart(pushes, 0, doginal.missing)) return undefined
  return takeParts(doginal, pushes)
}

/** The content, once no part is missing. */
export function joinParts({ parts }: Doginal): Uint8Array<ArrayBuffer> {
  return concatBytes(parts)
}

function takeParts(doginal: Doginal, pushes: readonly Uint8Array[]): Doginal {
  const parts = [...doginal.parts]
  let { missing } = doginal
  let at = 0
  for (; beginsWithPart(pushes, at, missing); at += 2) {
    parts.push(pushes[at + 1] ?? new Uint8Array(0))
    missing--
  }
  const [tag, value] = [pushes[at], pushes[at + 1]]
  const delegate = missing === 0 && tag && readNumber(tag) === DELEGATE_TAG ? readInscriptionId(value) : undefined
  return { ...doginal, parts, missing, delegate }
}

/** Whether the expected part is at a place: its number, which is one less than what is missing, and its data. */
function beginsWithPart(pushes: readonly Uint8Array[], at: number, missing: number): boolean {
  const number = pushes[at]
  return missing > 0 && number !== undefined && at + 1 < pushes.length && readNumber(number) === BigInt(missing - 1)
}

/** All pushes of a script, none where it has another instruction. */
function readPushes(script: Uint8Array): Uint8Array[] {
  if (script.length > MAX_SCRIPT) return []
  const reader = new ScriptReader(script)
  const pushes: Uint8Array[] = []
  for (;;) {
    const read = reader.next()
    if (read === 'end') return pushes
    const { pushed } = reader
    if (read === 'cut' || !pushed) return []
    pushes.push(pushed)
  }
}

/** `OP_0` to `OP_16`, or 1 to 8 bytes, little-endian. */
function readNumber(push: Uint8Array): bigint | undefined {
  return push.length > 8 ? undefined : littleEndian(push)
}
