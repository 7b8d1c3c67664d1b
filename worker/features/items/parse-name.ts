import { invalidField } from '../../platform/http/errors.ts'

export const MAX_CHARACTERS = 255

/**
 * A name of a file or folder: it becomes a name in a directory, so it can't reach out of it.
 * @throws {AppError} 400 naming `field`.
 */
export function parseName(value: unknown, field = 'name'): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_CHARACTERS) {
    throw invalidField(field, `must be a text of 1 to ${MAX_CHARACTERS} characters.`)
  }
  if (!value.isWellFormed() || /[\p{Cc}/\\]/u.test(value)) {
    throw invalidField(field, 'must not contain control characters, slashes or broken Unicode.')
  }
  if (value === '.' || value === '..') throw invalidField(field, 'must not be "." or "..".')
  return value
}
