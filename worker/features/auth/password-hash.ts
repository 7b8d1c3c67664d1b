import crypto from 'node:crypto'
import type { PasswordPeppers, Pepper } from '../../platform/config/password-peppers.ts'

interface Cost {
  /** log2 of N. */
  ln: number
  r: number
  p: number
}

/**
 * What OWASP and ASVS 5.0 accept and a Worker can do: 32 MiB, about 0.2 s, three quarters of workerd's limit on N·r·p.
 * PBKDF2 is no way out: workerd caps it at 100,000 rounds in production.
 */
const COST: Cost = { ln: 15, r: 8, p: 3 }
const MAX_WORK = 2 ** 20
const MAX_LN = 16
const HASH_BYTES = 32
const SALT_BYTES = 16

/** Stands in for the hash of an account that does not exist, so that both cost the same work. */
export const DECOY_HASH = formatHash(COST, undefined, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES))

/**
 * Hashes a password: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, and with a pepper `$scrypt$ln=15,r=8,p=3,keyid=<id>$…`, the
 * hash being an HMAC-SHA-256 of scrypt's. Blocks the isolate; see `withHashSlot`.
 */
export function hashPassword(password: string, { current }: PasswordPeppers): string {
  const salt = crypto.randomBytes(SALT_BYTES)
  return formatHash(COST, current?.id, salt, addPepper(scrypt(password, salt, COST), current))
}

/**
 * Whether `password` is the one behind `hash`; never where the hash names a pepper that is not known, at the same work.
 * Blocks the isolate; see `withHashSlot`.
 */
export function matchesHash(password: string, hash: string, { known }: PasswordPeppers): boolean {
  const { cost, pepperId, salt, digest } = parseHash(hash)
  const pepper = known.find(({ id }) => id === pepperId)
  const found = addPepper(scrypt(password, salt, cost), pepper)
  return pepper?.id === pepperId && crypto.timingSafeEqual(found, digest)
}

/** Whether `hash` was made at another cost than today's, or with another pepper, and is due to be made again. */
export function isOutdated(hash: string, { current }: PasswordPeppers): boolean {
  const { cost, pepperId } = parseHash(hash)
  return pepperId !== current?.id || cost.ln !== COST.ln || cost.r !== COST.r || cost.p !== COST.p
}

/** The id of a pepper that `hash` names and that is not known: no password can match it. */
export function missingPepper(hash: string, { known }: PasswordPeppers): string | undefined {
  const { pepperId } = parseHash(hash)
  return known.some(({ id }) => id === pepperId) ? undefined : pepperId
}

function addPepper(digest: Buffer, pepper: Pepper | undefined): Buffer {
  return pepper ? crypto.createHmac('sha256', pepper.secret).update(digest).digest() : digest
}

// The same letter can be typed as one code point or two: NFKC makes them one (NIST SP 800-63B, 3.1.1.2).
function scrypt(password: string, salt: Buffer, { ln, r, p }: Cost): Buffer {
  const N = 2 ** ln
  return crypto.scryptSync(password.normalize('NFKC'), salt, HASH_BYTES, { N, r, p, maxmem: 2 * 128 * N * r })
}

function formatHash({ ln, r, p }: Cost, pepperId: string | undefined, salt: Buffer, digest: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const keyId = pepperId === undefined ? '' : `,keyid=${pepperId}`
  return `$scrypt$ln=${ln},r=${r},p=${p}${keyId}$${text(salt)}$${text(digest)}`
}

function parseHash(hash: string): { cost: Cost; pepperId: string | undefined; salt: Buffer; digest: Buffer } {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})(?:,keyid=([\w+/]{11}))?\$([\w+/]+)\$([\w+/]+)$/.exec(
    hash,
  )
  const [, ln, r, p, pepperId, salt = '', digest = ''] = match ?? []
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  const bytes = Buffer.from(digest, 'base64')
  if (!match || cost.ln > MAX_LN || 2 ** cost.ln * cost.r * cost.p > MAX_WORK || bytes.length !== HASH_BYTES) {
    throw new Error('A stored password hash cannot be read.')
  }
  return { cost, pepperId, salt: Buffer.from(salt, 'base64'), digest: bytes }
}
