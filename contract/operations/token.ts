import {
  Credentials,
  ExtendedSession,
  Extension,
  LOGIN_HEADERS,
  LoginRefused,
  RefreshToken,
  Renewal,
  RenewedTokens,
  Tokens,
  webauthn,
} from '../account.ts'
import { Problem } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { json, operations } from '../operation.ts'

/** Logging in, staying logged in, logging out. */
export const TOKEN_OPERATIONS = operations('Tokens', {
  'POST /v0/token': {
    id: 'logIn',
    summary: 'Log in',
    description: `The access token lives ${inWords(LIFETIMES.access)}, the refresh token ${inWords(LIFETIMES.refresh)}.`,
    headers: LOGIN_HEADERS,
    body: Credentials,
    example: { email: 'ada@example.com', password: 'Correct1' },
    answers: {
      200: json('Logged in.', Tokens),
      201: json('Refused: the identity is not verified yet. No token is issued.', Problem),
      202: json('Refused: the email address is not verified yet. No token is issued.', Problem),
      401: 'Wrong email or password.',
      404: 'The account is closed.',
      429: json(
        `Too many failures in ${inWords(LIFETIMES.failedLogin)}: \`Retry-After\` says how long to wait. Or too many by others: the same request is accepted with a proof (\`proof_needed\`).`,
        LoginRefused,
      ),
    },
  },
  'PUT /v0/token': {
    id: 'refreshAccess',
    summary: 'Get a new access token',
    description: `With \`rotate: true\` the refresh token is replaced: the one that was sent is valid until ${inWords(LIFETIMES.replaced)} after the first use of the new one. A later use of it ends the session, and a mail says so.`,
    body: Renewal,
    answers: {
      201: json(
        `A new access token, for ${inWords(LIFETIMES.access)}. With \`refreshToken\` if \`rotate\` requested it, or if the one that was sent was signed by an older key: store the new one in its place.`,
        RenewedTokens,
      ),
      401: {
        description: 'Not a live refresh token, with `message` and `code`; without a body where the request had none.',
      },
    },
  },
  'PATCH /v0/token': {
    id: 'extendSession',
    summary: 'Get a refresh token of another lifetime',
    description: `The new token is a session of its own. It never outlives the login by more than ${inWords(LIFETIMES.sinceLogin)}. More than ${inWords(LIFETIMES.longRefresh)} need a login of the last ${inWords(LIFETIMES.recentLogin)}.`,
    token: true,
    body: Extension,
    example: { exp: 604800, token: `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.${'A'.repeat(43)}` },
    answers: {
      201: json('The new refresh token.', ExtendedSession),
      400: 'Not a live refresh token of yours, `exp` is out of range, the login is too old for it (`login_too_old`), or you have too many long-lived ones.',
    },
  },
  'DELETE /v0/token': {
    id: 'revokeSession',
    summary: 'Revoke a refresh token',
    token: true,
    body: RefreshToken,
    answers: { 204: 'It is revoked.', 400: 'Not a live refresh token of yours.' },
  },
  'POST /v0/token/passkey': {
    id: 'passkeyLoginOptions',
    summary: 'Ask for a passkey',
    description: `The answer goes to POST /console/session as \`passkey\`, within ${inWords(LIFETIMES.challenge)}, once: passkeys log people in at the console.`,
    answers: {
      200: json('PublicKeyCredentialRequestOptionsJSON (WebAuthn Level 3).', webauthn()),
      403: 'Browsers do not support passkeys for this address (`passkeys_off`).',
    },
  },
})
