import { common, empty, json, jsonBody, object, type Paths, ref, refusal, token } from './operation.ts'
import { PATTERNS } from './patterns.ts'

const JWT = { type: 'string', pattern: PATTERNS.jwt, description: 'A JSON Web Token, HS256.' }
const REFRESH = object({ token: { ...JWT, description: 'A refresh token.' } })
const tags = ['Tokens'] as const

export const TOKEN_PATHS: Paths = {
  '/v0/token': {
    post: {
      tags,
      operationId: 'logIn',
      summary: 'Log in',
      description: 'The access token lives 30 minutes, the refresh token a day.',
      requestBody: jsonBody(ref('Credentials'), { email: 'ada@example.com', password: 'Correct1' }),
      responses: {
        '200': json('Logged in.', object({ accessToken: JWT, refreshToken: JWT })),
        '201': json('Refused: the identity is not verified yet. No token is issued.', ref('Problem')),
        '202': json('Refused: the email address is not verified yet. No token is issued.', ref('Problem')),
        ...common('400', '413', '415'),
        '401': refusal('Wrong email or password.'),
        '404': refusal('The account is closed.'),
        '429': refusal('Too many failures in 15 minutes. `Retry-After` says when to come again.'),
      },
    },
    put: {
      tags,
      operationId: 'refreshAccess',
      summary: 'Get a new access token',
      requestBody: jsonBody(REFRESH),
      responses: {
        '201': json(
          'A new access token, for 30 minutes. With `refreshToken` where the one given was signed by an older key: keep that in its place.',
          object({ accessToken: JWT, refreshToken: JWT }, ['refreshToken']),
        ),
        ...common('400', '413', '415'),
        '401': {
          description:
            'Not a live refresh token, with `message` and `code`; without a body where the request had none.',
        },
      },
    },
    patch: {
      tags,
      operationId: 'extendSession',
      summary: 'Get a refresh token of another lifetime',
      description: 'The new token is a session of its own. It never outlives the login by more than 366 days.',
      security: token(),
      requestBody: jsonBody(
        object({
          exp: { type: 'integer', minimum: 1, maximum: 31_536_000, description: 'Lifetime in seconds.' },
          token: { ...JWT, description: 'A live refresh token of yours.' },
        }),
        { exp: 604_800, token: `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.${'A'.repeat(43)}` },
      ),
      responses: {
        '201': json('The new refresh token.', object({ refreshToken: JWT })),
        ...common('401', '413', '415'),
        '400': refusal(
          'Not a live refresh token of yours, `exp` is out of range, or you have too many long-lived ones.',
        ),
      },
    },
    delete: {
      tags,
      operationId: 'revokeSession',
      summary: 'Revoke a refresh token',
      security: token(),
      requestBody: jsonBody(REFRESH),
      responses: {
        '204': empty('It is revoked.'),
        ...common('401', '413', '415'),
        '400': refusal('Not a live refresh token of yours.'),
      },
    },
  },
}
