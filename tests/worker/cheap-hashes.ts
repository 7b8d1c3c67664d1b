import crypto, { scryptSync } from 'node:crypto'

/** log2 of what N is at the most: of the hashes that tests insert themselves. */
const CHEAP_LN = 4

/** scrypt at a cost that is next to nothing, whatever is asked for: as good for telling passwords apart. */
function cheapScrypt(password: string, salt: Buffer, length: number, options: crypto.ScryptOptions): Buffer {
  const N = Math.min(options.N ?? 0, 2 ** CHEAP_LN)
  return scryptSync(password, salt, length, { ...options, N, p: 1 })
}

function hashBy(scrypt: typeof scryptSync | typeof cheapScrypt): void {
  Object.defineProperty(crypto, 'scryptSync', { value: scrypt, configurable: true, writable: true })
}

/** Makes hashes of passwords cost next to nothing, for this file; one costs a fifth of a second. */
export function cheapenHashes(): void {
  hashBy(cheapScrypt)
}

/** Has passwords hashed as in production, for the rest of this file. */
export function useRealHashes(): void {
  hashBy(scryptSync)
}
