import {
  common,
  content,
  empty,
  inPath,
  json,
  jsonBody,
  type Operation,
  object,
  type Paths,
  readable,
  ref,
  refusal,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'

const tags = ['Console'] as const

const ACCESS = object({ accessToken: { type: 'string', pattern: PATTERNS.jwt } })
const PASSKEY = { type: 'object', additionalProperties: true, description: 'AuthenticationResponseJSON (WebAuthn).' }
const CREDENTIALS = { oneOf: [ref('Credentials'), object({ passkey: PASSKEY })] }
const NOT_OURS = refusal('The request does not come from a page of this origin.')

const view = (operationId: string, summary: string): Operation => ({
  tags,
  operationId,
  summary,
  responses: { ...readable(content('The page, with a policy of its own.', 'text/html')), ...common('404') },
})

export const CONSOLE_PATHS: Paths = {
  '/console': { get: view('openConsole', 'The console') },
  '/console/{path}': {
    get: {
      ...view('openView', 'A view of the console, or a file of it'),
      description: 'Files have a dot in their name and a hash that makes them immutable; everything else is a view.',
      parameters: [inPath('path', 'Of the view, or `assets/<name>.<hash>.<type>`.')],
      responses: {
        ...readable(content('The page, or the file.', 'text/html', 'text/javascript', 'text/css', 'image/svg+xml')),
        ...common('404'),
      },
    },
  },
  '/console/settings': {
    get: {
      tags,
      operationId: 'readConsoleSettings',
      summary: 'What the operator set for the console',
      responses: { '200': json('All of it.', ref('ConsoleSettings')), ...common() },
    },
  },
  '/console/session': {
    post: {
      tags,
      operationId: 'logInConsole',
      summary: 'Log in at the console',
      description:
        'For pages of this origin only (`Sec-Fetch-Site`, or `Origin` without it). The refresh token goes into the cookie `__Host-hookline`, which no script can read and nothing else does.',
      requestBody: jsonBody(CREDENTIALS, { email: 'ada@example.com', password: 'Correct1' }),
      responses: {
        '200': json('Logged in.', ACCESS),
        '201': json('Refused: the identity is not verified yet.', ref('Problem')),
        '202': json('Refused: the email address is not verified yet.', ref('Problem')),
        ...common('400', '413', '415'),
        '401': refusal('Wrong email, password or passkey.'),
        '403': refusal('The request does not come from a page of this origin, or a passkey comes to an IP address.'),
        '404': refusal('The account is closed.'),
        '429': refusal('Too many failures in 15 minutes. `Retry-After` says when to come again.'),
      },
    },
    put: {
      tags,
      operationId: 'renewConsole',
      summary: 'Get a new access token at the console',
      responses: {
        '200': json('A new access token, for 30 minutes.', ACCESS),
        ...common(),
        '401': refusal('There is no cookie, or its session has ended.'),
        '403': NOT_OURS,
      },
    },
    delete: {
      tags,
      operationId: 'logOutConsole',
      summary: 'Log out of the console',
      responses: { '204': empty('The session has ended, and the cookie is gone.'), ...common(), '403': NOT_OURS },
    },
  },
}
