import { MAX_NAME } from '../auth/parse-name.ts'
import {
  CURSOR,
  common,
  content,
  empty,
  FROM_CURSOR,
  inPath,
  inQuery,
  json,
  jsonBody,
  type Operation,
  object,
  type Paths,
  ref,
  refusal,
  type Schema,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { EMAIL, MESSAGE, PASSWORD } from './schemas/field-schemas.ts'

const tags = ['Accounts'] as const
const ADDRESS = object({ email: EMAIL })
const LINK_TOKEN = { type: 'string', pattern: PATTERNS.jwt, description: 'From the mail.' }
const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME, description: 'No control characters.' }
const linkToken = inQuery('token', 'From the mail.', LINK_TOKEN)

const sendLink = (operationId: string, summary: string): Operation => ({
  tags,
  operationId,
  summary,
  requestBody: jsonBody(ADDRESS, { email: 'ada@example.com' }),
  responses: {
    '202': json('The same whether or not there is such an account.', MESSAGE),
    ...common('400', '413', '415'),
  },
})

const linkPage = (operationId: string, summary: string): Operation => ({
  tags,
  operationId,
  summary,
  parameters: [linkToken],
  responses: {
    '200': content('A page with one form, which uses the link up.', 'text/html'),
    ...common(),
    '400': content('The link is not valid, was used, or has expired.', 'text/html'),
  },
})

const linkForm = (operationId: string, summary: string, fields: Record<string, Schema>): Operation => ({
  tags,
  operationId,
  summary,
  requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: object(fields) } } },
  responses: {
    '200': content('Done; the page says what is next.', 'text/html'),
    ...common(),
    '400': content('The link is not valid any more, or the password is not taken.', 'text/html'),
    '413': content('The form is larger than 8 KiB.', 'text/html'),
    '415': content('Not sent as a form.', 'text/html'),
  },
})

const VERIFY_FORM = linkForm('verifyEmail', 'Confirm an address', { token: LINK_TOKEN, password: { type: 'string' } })

export const ACCOUNT_PATHS: Paths = {
  '/v0/user': {
    post: {
      tags,
      operationId: 'signUp',
      summary: 'Sign up',
      description: 'A mail with a link is sent. Signing up again before it was followed replaces the pending account.',
      requestBody: jsonBody(
        object({
          email: EMAIL,
          password: PASSWORD,
          firstName: NAME,
          lastName: NAME,
        }),
        { email: 'ada@example.com', password: 'Correct1', firstName: 'Ada', lastName: 'Lovelace' },
      ),
      responses: {
        '201': json(
          'The same whether or not the address is taken.',
          object({
            message: { type: 'string' },
            wait: { type: 'string', description: 'Random: what `GET /v0/user/wait/<wait>` is asked with.' },
          }),
        ),
        ...common('400', '413', '415'),
      },
    },
    get: {
      tags,
      operationId: 'readProfile',
      summary: 'Your profile',
      security: token(),
      responses: {
        '200': json('The account with its balances and deposit addresses.', ref('Profile')),
        ...common('401', '404'),
      },
    },
    put: {
      tags,
      operationId: 'changeProfile',
      summary: 'Change your names or your password',
      description:
        'A new password ends every access token and every other session; renew the token by the refresh token of this one.',
      security: token(),
      requestBody: jsonBody(
        object(
          {
            firstName: NAME,
            lastName: NAME,
            password: { type: 'string', description: 'The one until now; with `newPassword`, and without names.' },
            newPassword: PASSWORD,
          },
          ['firstName', 'lastName', 'password', 'newPassword'],
        ),
        { firstName: 'Ada', lastName: 'Lovelace' },
      ),
      responses: {
        '200': json('The account as it is now.', ref('Profile')),
        ...common('400', '401', '413', '415'),
        '403': refusal('The password until now is wrong.'),
      },
    },
    delete: {
      tags,
      operationId: 'closeAccount',
      summary: 'Close your account',
      security: token(),
      requestBody: jsonBody(
        object(
          {
            password: { type: 'string' },
            leave: { type: 'boolean', description: 'Close although money is left; the operator pays it out.' },
          },
          ['leave'],
        ),
      ),
      responses: {
        '204': empty('The account is closed and all its sessions have ended.'),
        ...common('400', '401', '413', '415'),
        '403': refusal('The password is wrong.'),
        '409': json(
          'Money is left. Take it out first, or send `leave`.',
          object({
            message: { type: 'string' },
            code: { type: 'string' },
            balances: { type: 'object', additionalProperties: { type: 'number' } },
          }),
        ),
      },
    },
  },
  '/v0/user/wait/{wait}': {
    get: {
      tags,
      operationId: 'readWait',
      summary: 'Whether the address of a sign-up was verified',
      description: 'True once. False for one that waits, for an address that was taken, and for what nobody was given.',
      parameters: [inPath('wait', 'From the sign-up.')],
      responses: { '200': json('Whether it was.', object({ verified: { type: 'boolean' } })), ...common() },
    },
  },
  '/v0/user/verify': {
    get: linkPage('verifyPage', 'The page of the mail that confirms an address'),
    post: {
      ...VERIFY_FORM,
      description: 'The password is the one of the sign-up that the link was mailed for; a wrong one leaves the link.',
      responses: {
        ...VERIFY_FORM.responses,
        '401': content('The password is wrong; the page asks for it again.', 'text/html'),
        '429': content(
          'Too many wrong passwords. `Retry-After` says when to come again.',
          'text/html',
          'application/json',
        ),
      },
    },
  },
  '/v0/user/verify/send': { post: sendLink('sendVerification', 'Send the mail that confirms an address again') },
  '/v0/user/password': {
    get: linkPage('resetPage', 'The page of the mail that resets a password'),
    post: linkForm('resetPasswordByForm', 'Reset a password, from that page', {
      token: { type: 'string' },
      password: { type: 'string' },
    }),
    put: {
      tags,
      operationId: 'resetPassword',
      summary: 'Reset a password',
      description: 'Ends every session of the account, and the access tokens that are out.',
      requestBody: jsonBody(object({ token: LINK_TOKEN, password: PASSWORD })),
      responses: { '200': json('The password is set.', MESSAGE), ...common('400', '413', '415') },
    },
  },
  '/v0/user/password/send': { post: sendLink('sendPasswordReset', 'Send a mail that resets a password') },
  '/v0/user/sessions': {
    get: {
      tags,
      operationId: 'listSessions',
      summary: 'Your live refresh tokens',
      security: token(),
      responses: {
        '200': json(
          'Times in Unix seconds.',
          object({
            sessions: {
              type: 'array',
              items: object({
                jti: { type: 'string' },
                created: { type: 'integer' },
                expires: { type: 'integer' },
                current: { type: 'boolean', description: 'Whether the access token of this request is of it.' },
              }),
            },
          }),
        ),
        ...common('401'),
      },
    },
  },
  '/v0/user/sessions/{jti}': {
    delete: {
      tags,
      operationId: 'endSession',
      summary: 'End a session',
      security: token(),
      parameters: [inPath('jti', 'Of the refresh token.', { type: 'string', pattern: PATTERNS.token })],
      responses: { '204': empty('It has ended.'), ...common('401', '404') },
    },
  },
  '/v0/user/{id}/identity': {
    put: {
      tags,
      operationId: 'verifyIdentity',
      summary: "Confirm somebody's identity",
      security: token('users'),
      parameters: [inPath('id', 'Of the account.', { type: 'string', pattern: PATTERNS.uuid })],
      requestBody: jsonBody(object({ verified: { const: true } }), { verified: true }),
      responses: {
        '204': empty('They can log in now.'),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal('The account does not wait for its identity.'),
      },
    },
  },
  '/v0/users': {
    get: {
      tags,
      operationId: 'listUsers',
      summary: 'List accounts',
      security: token('users'),
      parameters: [inQuery('status', 'Only these.', { type: 'integer', enum: [0, 1, 2, 3] }), FROM_CURSOR],
      responses: {
        '200': json(
          'At most 100.',
          object({ users: { type: 'array', items: ref('User') }, cursor: { ...CURSOR, type: ['string', 'null'] } }),
        ),
        ...common('400', '401', '403'),
      },
    },
  },
}
