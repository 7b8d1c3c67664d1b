import { invalidCursor, invalidField } from '../../platform/http/errors.ts'

const MAX_NOTE = 500

/** What is new in a version, if anything is said of it. @throws {AppError} 400. */
export function parseNote(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'string' && value.length <= MAX_NOTE && value.isWellFormed() && !/\p{Cc}/u.test(value))
    return value
  throw invalidField('note', `must be a text of at most ${MAX_NOTE} characters in one line.`)
}

/** The number of a version. @throws {AppError} 400. */
export function parseVersionNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw invalidField('version', 'must be the number of a version.')
}

/** The number below which a page of versions begins. @throws {AppError} 400. */
export function parseVersionCursor(text: string | undefined): number {
  if (text === undefined) return Number.MAX_SAFE_INTEGER
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw invalidCursor()
}

/** Whether a version is wanted though its site would answer 500. @throws {AppError} 400. */
export function parseConfirm(value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw invalidField('confirm', 'must be true or false.')
}
