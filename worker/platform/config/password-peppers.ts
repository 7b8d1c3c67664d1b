import crypto from 'node:crypto'

/** A secret of the operator that is an input of password hashes, so that the database alone is no use for guessing. */
export interface Pepper {
  /** How hashes name it: 8 bytes derived from the secret, base64 without padding. */
  id: string
  secret: Uint8Array
}

/** The peppers of PASSWORD_PEPPER. */
export interface PasswordPeppers {
  /** The pepper of new hashes; `undefined` where none is set, or peppers are being phased out. */
  current: Pepper | undefined
  /** All that stored hashes may name. */
  known: readonly Pepper[]
}

const MIN_BYTES = 32
const MAX_PEPPERS = 8
/** As the first entry: new hashes are made without a pepper, and old ones can still be verified. */
const NONE = 'none'

/**
 * The peppers between commas, each base64url of 32 bytes or more: new hashes use the first, old ones any.
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
  // With unused bits set in its last character, one pepper could be written in two ways.
  if (!/^[\w-]+$/.test(text) || Buffer.from(secret).toString('base64url') !== text) {
    throw new Error(`has no base64url at place ${place}`)
  }
  if (secret.length < MIN_BYTES) throw new Error(`has a pepper of less than ${MIN_BYTES} bytes at place ${place}`)
  const digest = crypto.createHmac('sha256', secret).update('hookline pepper id').digest()
  return { id: digest.subarray(0, 8).toString('base64').replace(/=+$/, ''), secret }
}
