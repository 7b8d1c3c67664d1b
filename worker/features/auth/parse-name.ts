import { invalidField } from '../../platform/http/errors.ts'
import { readText } from '../../platform/http/read-fields.ts'

export const MAX_NAME = 100

/** A name of a person or a thing: 1 to {@link MAX_NAME} characters without control characters. @throws {AppError} 400. */
export function parseName(body: Record<string, unknown>, field: string): string {
  const name = readText(body, field).trim()
  if (name === '' || name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) {
    throw invalidField(field, `must be 1 to ${MAX_NAME} characters, none of them a control character.`)
  }
  return name
}
