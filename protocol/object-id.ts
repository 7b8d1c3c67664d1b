import { toHex } from './bytes.ts'

/** A new object id: 4 bytes of Unix seconds, 8 random bytes, as 24 lowercase hex digits (a DNS label). */
export function objectId(now: number, random = crypto.getRandomValues(new Uint8Array(8))): string {
  const bytes = new Uint8Array(12)
  new DataView(bytes.buffer).setUint32(0, Math.floor(now / 1000))
  bytes.set(random, 4)
  return toHex(bytes)
}

/** The pattern of an object id, for JSON schemas too. */
export const OBJECT_ID_PATTERN = '^[0-9a-f]{24}$'

const OBJECT_ID = new RegExp(OBJECT_ID_PATTERN)

/** Whether `text` has the form of an object id; capitals are not accepted, so that an id has only one form. */
export function isObjectId(text: unknown): text is string {
  return typeof text === 'string' && OBJECT_ID.test(text)
}
