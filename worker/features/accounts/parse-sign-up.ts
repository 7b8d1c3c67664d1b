import { invalidField } from '../../platform/http/errors.ts'
import { readText } from '../../platform/http/read-fields.ts'
import { parseEmail, parsePassword } from '../auth/parse-credentials.ts'
import type { SignUp } from './sign-up.ts'

export const MAX_NAME = 100

/** The fields of a sign-up. @throws {AppError} 400 naming the field. */
export function parseSignUp(body: Record<string, unknown>): SignUp {
  return {
    email: parseEmail(body),
    password: parsePassword(body),
    firstName: parseName(body, 'firstName'),
    lastName: parseName(body, 'lastName'),
  }
}

/** A name of a person or a thing: 1 to {@link MAX_NAME} characters without control characters. @throws {AppError} 400. */
export function parseName(body: Record<string, unknown>, field: string): string {
  const name = readText(body, field).trim()
  if (name === '' || name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) {
    throw invalidField(field, `must be 1 to ${MAX_NAME} characters, none of them a control character.`)
  }
  return name
}
