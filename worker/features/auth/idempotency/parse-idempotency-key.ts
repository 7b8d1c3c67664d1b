import { MAX_IDEMPOTENCY_KEY } from '../../../../contract/limits.ts'
import { invalidField } from '../../../platform/http/errors.ts'

const CHARACTERS = '[!#-[\\]-~]'

/** A key as it is in the header by itself. */
export const IDEMPOTENCY_KEY_PATTERN = `^${CHARACTERS}{1,${MAX_IDEMPOTENCY_KEY}}$`

const KEY = new RegExp(`^(?:"(${CHARACTERS}+)"|(${CHARACTERS}+))$`)

/**
 * The key of `Idempotency-Key`: printable ASCII without spaces, quotes and backslashes, bare or as the string of a
 * structured field (RFC 9651, 3.3.3). @throws {AppError} 400.
 */
export function parseIdempotencyKey(value: string): string {
  const [, quoted, bare] = KEY.exec(value.trim()) ?? []
  const key = quoted ?? bare
  if (key !== undefined && key.length <= MAX_IDEMPOTENCY_KEY) return key
  throw invalidField(
    'Idempotency-Key',
    `must be 1 to ${MAX_IDEMPOTENCY_KEY} printable ASCII characters without spaces and quotes.`,
  )
}
