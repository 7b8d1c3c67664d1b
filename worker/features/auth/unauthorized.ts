import type { CodeOf } from '../../../contract/error-codes.ts'
import { AppError } from '../../platform/http/errors.ts'

/** 401 with the challenge that RFC 9110, 15.5.2 asks for. */
export function unauthorized(message: string, code: CodeOf<401>): AppError {
  return new AppError(401, code, message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** 401 for a token that is not valid, or has ended. */
export function tokenEnded(): AppError {
  return unauthorized('The access token is not valid, or no longer. Log in or refresh it.', 'token_invalid')
}

/** 401 for an API key that does not exist, or has ended. */
export function keyEnded(): AppError {
  return unauthorized('The API key is not valid, was revoked, or has expired. Make another one.', 'token_invalid')
}
