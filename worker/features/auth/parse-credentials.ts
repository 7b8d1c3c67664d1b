import { invalidField } from '../../platform/http/errors.ts'
import { readText } from '../../platform/http/read-fields.ts'

/** The patterns of docs/behaviour.md, section 5, as written there (the `.` before the top-level domain too), matched whole. */
export const EMAIL = /^(?:[a-z0-9._%+-]+@[a-z0-9.-]+.[a-z]{2,4}$)$/
export const PASSWORD = /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{6,})$/

/** RFC 5321, 4.5.3.1.3: a longer path cannot be mailed to. */
const MAX_EMAIL = 254
const MAX_PASSWORD_BYTES = 1024

/** The `email` of a body, lower-cased. @throws {AppError} 400. */
export function parseEmail(body: Record<string, unknown>): string {
  const email = readText(body, 'email').toLowerCase()
  if (email.length > MAX_EMAIL || !EMAIL.test(email)) throw invalidField('email', 'is not an email address.')
  return email
}

/** The `password` of a body. @throws {AppError} 400. */
export function parsePassword(body: Record<string, unknown>, field = 'password'): string {
  const password = readText(body, field)
  if (!PASSWORD.test(password)) {
    throw invalidField(field, 'needs at least 6 characters, among them a digit, a lower-case and an upper-case letter.')
  }
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES) {
    throw invalidField(field, `is longer than ${MAX_PASSWORD_BYTES} bytes.`)
  }
  return password
}
