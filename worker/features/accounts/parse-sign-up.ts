import { parseEmail, parsePassword } from '../auth/parse-credentials.ts'
import { parseName } from '../auth/parse-name.ts'
import type { SignUp } from './sign-up.ts'

/** The fields of a sign-up. @throws {AppError} 400 naming the field. */
export function parseSignUp(body: Record<string, unknown>): SignUp {
  return {
    email: parseEmail(body),
    password: parsePassword(body),
    firstName: parseName(body, 'firstName'),
    lastName: parseName(body, 'lastName'),
  }
}
