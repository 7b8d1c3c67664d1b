import crypto from 'node:crypto'

/** A secret of the operator that goes into password hashes; who has only the database can't try passwords. */
export interface Pepper {
  /** How hashes name it: 8 bytes that are made of the secret, base64 without padding. */
  id: string
  secret: Uint8Array
}

/** The peppers of PASSWORD_PEPPER. */
export interface PasswordPeppers {
  /** What new hashes are made with; none where it was not set, or is being taken out of use. */
  current: Pepper | undefined
  /** All that may stand in a hash. */
  known: readonly Pepper[]
}

const MIN_BYTES = 32
const MAX_PEPPERS = 8
/** In the place of the first one: new hashes are made without a pepper, old ones can still be checked. */
const NONE = 'none'

/**
 * The peppers between commas, each base64url of 32 bytes or more: new hashes are made with the first, all are known.
 * @throws {Error} saying what is wrong, without any of the secrets.
 */
export function parsePeppers(text: string | undefined): PasswordPeppers {
  const parts = (text ?? '').split(',').map((part) => part.trim())
  if (text === undefined || text.trim() === '') return { current: undefined, known: [] }
  if (parts.length > MAX_PEPPERS) throw new Error(`holds more than ${MAX_PEPPERS} peppers`)
  const retired = parts[0] === NONE
  const known = parts.slice(retired ? 1 : 0).map((part, index) => parsePepper(part, index + (retired ? 2 : 1)))
  if (new Set(known.map(({ id }) => id)).size < known.length) throw new Error('has a pepper twice')
  return { current: retired ? undefined : known[0], known }
}

function parsePepper(text: string, place: number): Pepper {
  const secret = Uint8Array.from(Buffer.from(text, 'base64url'))
  // Unused bits in the last character would let one pepper have two names.
  if (!/^[\w-]+$/.test(text) || Buffer.from(secret).toString('base64url') !== text) {
    throw new Error(`has no base64url at place ${place}`)
  }
  if (secret.length < MIN_BYTES) throw new Error(`has a pepper of less than ${MIN_BYTES} bytes at place ${place}`)
  const digest = crypto.createHmac('sha256', secret).update('hookline pepper id').digest()
  return { id: digest.subarray(0, 8).toString('base64').replace(/=+$/, ''), secret }
}
