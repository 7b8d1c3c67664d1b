import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import type { LoginOutcome } from '../log-in.ts'
import { unauthorized } from '../unauthorized.ts'

/** The answer to a login without tokens (docs/behaviour/tokens.md). @throws {AppError} 401. */
export function refuseLogin(c: Context<AppEnv>, { kind }: Exclude<LoginOutcome, { kind: 'tokens' }>): Response {
  const failed = (reason: string) => ({ message: `Authentication failed: ${reason}`, code: kind })
  switch (kind) {
    case 'email_pending':
      return c.json(failed('the email is not verified. Follow the link that was mailed to you.'), 202)
    case 'identity_pending':
      return c.json(failed('the identity is not verified yet. An operator of this service has to do it.'), 201)
    case 'closed':
      return c.json(failed('this account is closed.'), 404)
    case 'passkey_invalid':
      throw unauthorized('Authentication failed: this passkey is not known here, or the request was too late.', kind)
    case 'wrong_credentials':
      throw unauthorized('Authentication failed: invalid user or password.', kind)
  }
}
