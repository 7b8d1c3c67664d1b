import { AccessToken, ConsoleLogin, Credentials, LOGIN_HEADERS, LoginRefused } from '../account.ts'
import { Problem } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { content, json, operations, readable } from '../operation.ts'
import { either, text } from '../schema.ts'
import { ConsoleSettings } from '../service.ts'

const NOT_OURS = 'The request was not sent by a page of this origin.'

/** The console, and its session. */
export const CONSOLE_OPERATIONS = operations('Console', {
  'GET /console': {
    id: 'openConsole',
    summary: 'The console',
    answers: { ...readable(content('The page, with a policy of its own.', 'text/html')) },
    refuses: [404],
  },
  'GET /console/{path}': {
    id: 'openView',
    summary: 'A view of the console, or a file of it',
    description: 'Files have a dot in their name and a hash that makes them immutable; everything else is a view.',
    path: { path: text('Of the view, or `assets/<name>.<hash>.<type>`.') },
    answers: {
      ...readable(content('The page, or the file.', 'text/html', 'text/javascript', 'text/css', 'image/svg+xml')),
    },
    refuses: [404],
  },
  'GET /console/settings': {
    id: 'readConsoleSettings',
    summary: 'What the operator set for the console',
    answers: { 200: json('All of it.', ConsoleSettings) },
  },
  'POST /console/session': {
    id: 'logInConsole',
    summary: 'Log in at the console',
    description:
      'For pages of this origin only (`Sec-Fetch-Site`, or `Origin` without it). The refresh token goes into the cookie `__Host-hookline`, which no script can read and nothing else does.',
    headers: LOGIN_HEADERS,
    body: either([Credentials, ConsoleLogin]),
    example: { email: 'ada@example.com', password: 'Correct1' },
    answers: {
      200: json('Logged in.', AccessToken),
      201: json('Refused: the identity is not verified yet.', Problem),
      202: json('Refused: the email address is not verified yet.', Problem),
      401: 'Wrong email, password or passkey.',
      403: 'The request was not sent by a page of this origin, or a passkey was sent to an IP address.',
      404: 'The account is closed.',
      429: json(
        `Too many failures in ${inWords(LIFETIMES.failedLogin)}: \`Retry-After\` says how long to wait. Or too many by others: the same request is accepted with a proof (\`proof_needed\`).`,
        LoginRefused,
      ),
    },
  },
  'PUT /console/session': {
    id: 'renewConsole',
    summary: 'Get a new access token at the console',
    description: 'The refresh token in the cookie is replaced, as with `rotate` of PUT /v0/token.',
    answers: {
      200: json(`A new access token, for ${inWords(LIFETIMES.access)}.`, AccessToken),
      401: 'There is no cookie, or its session has ended.',
      403: NOT_OURS,
    },
  },
  'DELETE /console/session': {
    id: 'logOutConsole',
    summary: 'Log out of the console',
    answers: { 204: 'The session has ended, and the cookie is gone.', 403: NOT_OURS },
  },
})
