import {
  common,
  content,
  empty,
  inPath,
  inQuery,
  json,
  jsonBody,
  type Operation,
  object,
  type Paths,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { CURSOR, MESSAGE } from './schemas.ts'

const tags = ['Accounts'] as const
const EMAIL = object({ email: { type: 'string' } })
const PASSWORD = {
  type: 'string',
  description: 'At least 6 characters, with a digit, a lower- and an upper-case letter.',
}
const linkToken = inQuery('token', 'From the mail.')

const sendLink = (summary: string): Operation => ({
  tags,
  summary,
  requestBody: jsonBody(EMAIL, { email: 'ada@example.com' }),
  responses: {
    '202': json('The same whether or not there is such an account.', MESSAGE),
    ...common('400', '413', '415'),
  },
})

const linkPage = (summary: string): Operation => ({
  tags,
  summary,
  parameters: [linkToken],
  responses: {
    '200': content('A page with one form, which uses the link up.', 'text/html'),
    ...common(),
    '400': content('The link is not valid, was used, or has expired.', 'text/html'),
  },
})

const linkForm = (summary: string, fields: Record<string, { type: string }>): Operation => ({
  tags,
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

export const ACCOUNT_PATHS: Paths = {
  '/v0/user': {
    post: {
      tags,
      summary: 'Sign up',
      description: 'A mail with a link is sent. Signing up again before it was followed replaces the pending account.',
      requestBody: jsonBody(
        object({
          email: { type: 'string' },
          password: PASSWORD,
          firstName: { type: 'string' },
          lastName: { type: 'string' },
        }),
        { email: 'ada@example.com', password: 'Correct1', firstName: 'Ada', lastName: 'Lovelace' },
      ),
      responses: {
        '201': json('The same whether or not the address is taken.', MESSAGE),
        ...common('400', '413', '415'),
      },
    },
    get: {
      tags,
      summary: 'Your profile',
      security: token(),
      responses: {
        '200': json('The account with its balances and deposit addresses.', ref('Profile')),
        ...common('401', '404'),
      },
    },
    delete: {
      tags,
      summary: 'Close your account',
      security: token(),
      requestBody: jsonBody(object({ password: { type: 'string' } })),
      responses: {
        '204': empty('The account is closed and all its sessions have ended.'),
        ...common('400', '401', '413', '415'),
        '403': refusal('The password is wrong.'),
      },
    },
  },
  '/v0/user/verify': {
    get: linkPage('The page of the mail that confirms an address'),
    post: linkForm('Confirm an address', { token: { type: 'string' } }),
  },
  '/v0/user/verify/send': { post: sendLink('Send the mail that confirms an address again') },
  '/v0/user/password': {
    get: linkPage('The page of the mail that resets a password'),
    post: linkForm('Reset a password, from that page', { token: { type: 'string' }, password: { type: 'string' } }),
    put: {
      tags,
      summary: 'Reset a password',
      description: 'Ends every session of the account, and the access tokens that are out.',
      requestBody: jsonBody(object({ token: { type: 'string', description: 'From the mail.' }, password: PASSWORD })),
      responses: { '200': json('The password is set.', MESSAGE), ...common('400', '413', '415') },
    },
  },
  '/v0/user/password/send': { post: sendLink('Send a mail that resets a password') },
  '/v0/user/sessions': {
    get: {
      tags,
      summary: 'Your live refresh tokens',
      security: token(),
      responses: {
        '200': json(
          'Times in Unix seconds.',
          object({
            sessions: {
              type: 'array',
              items: object({ jti: { type: 'string' }, created: { type: 'integer' }, expires: { type: 'integer' } }),
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
      summary: 'End a session',
      security: token(),
      parameters: [inPath('jti', 'Of the refresh token.')],
      responses: { '204': empty('It has ended.'), ...common('401', '404') },
    },
  },
  '/v0/user/{id}/identity': {
    put: {
      tags,
      summary: "Confirm somebody's identity",
      security: token('users'),
      parameters: [inPath('id', 'Of the account.')],
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
      summary: 'List accounts',
      security: token('users'),
      parameters: [
        inQuery('status', 'Only these.', { type: 'integer', enum: [0, 1, 2, 3] }),
        inQuery('cursor', 'From an earlier page.'),
      ],
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
