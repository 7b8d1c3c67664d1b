import {
  Closing,
  ConfirmedIdentity,
  EmailAddress,
  LinkForm,
  LoginRefused,
  MoneyLeft,
  NewEmail,
  NewNames,
  NewPasswordByLink,
  NewUser,
  PROOF_HEADER,
  Profile,
  Sessions,
  SignedUp,
  UserPage,
  UserQuery,
  Verified,
} from '../account.ts'
import { idOf, jwt, MESSAGE, named, uuid } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { MAX_ACCOUNT_BODY } from '../limits.ts'
import { content, json, operations } from '../operation.ts'
import { object, optional, text } from '../schema.ts'

const TOO_MANY_PASSWORDS = json(
  `Too many wrong passwords in ${inWords(LIFETIMES.failedLogin)}: \`Retry-After\` says how long to wait. Or too many by others: the same request is accepted with a proof (\`proof_needed\`).`,
  LoginRefused,
)

/** The page that a mailed link opens. */
const PAGE_OF_LINK = {
  query: { token: optional(jwt('From the mail.')) },
  answers: {
    200: content('A page with one form, which uses the link up.', 'text/html'),
    400: content('The link is not valid, was used, or has expired.', 'text/html'),
  },
}

/** Of the form on that page. */
const FORM_ANSWERS = {
  200: content('Done; the page says what is next.', 'text/html'),
  400: content('The link is not valid any more, or the password is not accepted.', 'text/html'),
  413: content(`The form is larger than ${MAX_ACCOUNT_BODY} bytes.`, 'text/html'),
  415: content('Not sent as a form.', 'text/html'),
}

/** Where that form asks for the password that the account has. */
const FORM_WITH_PASSWORD = {
  body: {
    required: true,
    types: { 'application/x-www-form-urlencoded': LinkForm },
  },
  answers: {
    ...FORM_ANSWERS,
    401: content('The password is wrong; the page prompts for it again.', 'text/html'),
    429: content('Too many wrong passwords. `Retry-After` says how long to wait.', 'text/html', 'application/json'),
  },
}

/** Accounts, from the sign-up to the closing. */
export const ACCOUNT_OPERATIONS = operations('Accounts', {
  'POST /v0/user': {
    id: 'signUp',
    summary: 'Sign up',
    description: 'A mail with a link is sent. Signing up again before it was followed replaces the pending account.',
    body: NewUser,
    example: { email: 'ada@example.com', password: 'Correct1', firstName: 'Ada', lastName: 'Lovelace' },
    answers: { 201: json('The same whether or not the address has an account.', SignedUp) },
  },
  'GET /v0/user': {
    id: 'readProfile',
    summary: 'Your profile',
    token: true,
    keys: ['read', 'store', 'pay', 'sites'],
    answers: { 200: json('The account with its balances and deposit addresses.', Profile) },
    refuses: [404],
  },
  'PUT /v0/user': {
    id: 'changeProfile',
    summary: 'Change your names or your password',
    description:
      'A new password ends every access token and every other session; renew the token by the refresh token of this one.',
    token: true,
    headers: PROOF_HEADER,
    body: NewNames,
    example: { firstName: 'Ada', lastName: 'Lovelace' },
    answers: {
      200: json('The account as it is now.', Profile),
      403: 'The password until now is wrong.',
      429: TOO_MANY_PASSWORDS,
    },
  },
  'DELETE /v0/user': {
    id: 'closeAccount',
    summary: 'Close your account',
    token: true,
    headers: PROOF_HEADER,
    body: Closing,
    answers: {
      204: 'The account is closed and all its sessions have ended.',
      403: 'The password is wrong.',
      409: json('The account still has money. Withdraw it first, or send `leave`.', MoneyLeft),
      429: TOO_MANY_PASSWORDS,
    },
  },
  'GET /v0/user/wait/{wait}': {
    id: 'readWait',
    summary: 'Whether the address of a sign-up was verified',
    description:
      'True once. False for an account that still waits, for an address that already had an account, and for an unknown value.',
    path: { wait: named('wait', text('From the sign-up.')) },
    answers: { 200: json('Whether it was.', Verified) },
  },
  'GET /v0/user/verify': {
    id: 'verifyPage',
    summary: 'The page of the mail that confirms an address',
    ...PAGE_OF_LINK,
  },
  'POST /v0/user/verify': {
    id: 'verifyEmail',
    summary: 'Confirm an address',
    description: 'The password is the one of the sign-up that the link was mailed for; a wrong one leaves the link.',
    ...FORM_WITH_PASSWORD,
  },
  'POST /v0/user/verify/send': {
    id: 'sendVerification',
    summary: 'Send the mail that confirms an address again',
    body: EmailAddress,
    example: { email: 'ada@example.com' },
    answers: { 202: json('The same whether or not there is such an account.', MESSAGE) },
  },
  'GET /v0/user/password': {
    id: 'resetPage',
    summary: 'The page of the mail that resets a password',
    ...PAGE_OF_LINK,
  },
  'POST /v0/user/password': {
    id: 'resetPasswordByForm',
    summary: 'Reset a password, from that page',
    body: {
      required: true,
      types: { 'application/x-www-form-urlencoded': object({ token: text(), password: text() }) },
    },
    answers: FORM_ANSWERS,
  },
  'PUT /v0/user/password': {
    id: 'resetPassword',
    summary: 'Reset a password',
    description: 'Ends every session of the account, and the access tokens that are out.',
    body: NewPasswordByLink,
    answers: { 200: json('The password is set.', MESSAGE) },
  },
  'POST /v0/user/password/send': {
    id: 'sendPasswordReset',
    summary: 'Send a mail that resets a password',
    body: EmailAddress,
    example: { email: 'ada@example.com' },
    answers: { 202: json('The same whether or not there is such an account.', MESSAGE) },
  },
  'POST /v0/user/email/send': {
    id: 'sendNewEmail',
    summary: 'Send the mail that changes the address of your account',
    description:
      'Both addresses get a mail: the new one a link, where the password is entered again. Until then nothing changes. A later request voids the link of an earlier one.',
    token: true,
    headers: PROOF_HEADER,
    body: NewEmail,
    example: { email: 'ada@example.org', password: 'Correct1' },
    answers: {
      202: json('The same whether or not the address has an account, which then keeps it.', MESSAGE),
      403: 'The password is wrong.',
      429: TOO_MANY_PASSWORDS,
    },
  },
  'GET /v0/user/email': {
    id: 'newEmailPage',
    summary: 'The page of the mail that changes an address',
    ...PAGE_OF_LINK,
  },
  'POST /v0/user/email': {
    id: 'changeEmail',
    summary: 'Change the address, from that page',
    description:
      'Sessions and keys remain; every mailed link of the account is void. A wrong password leaves the link.',
    ...FORM_WITH_PASSWORD,
  },
  'GET /v0/user/sessions': {
    id: 'listSessions',
    summary: 'Your live refresh tokens',
    token: true,
    answers: { 200: json('Times in Unix seconds.', Sessions) },
  },
  'DELETE /v0/user/sessions/{jti}': {
    id: 'endSession',
    summary: 'End a session',
    token: true,
    path: { jti: named('session', text('Of the refresh token.', { pattern: '^[A-Za-z0-9_-]{16,128}$' })) },
    answers: { 204: 'It has ended.' },
    refuses: [404],
  },
  'PUT /v0/user/{id}/identity': {
    id: 'verifyIdentity',
    summary: "Confirm somebody's identity",
    token: 'users',
    path: { id: idOf('account', uuid) },
    body: ConfirmedIdentity,
    example: { verified: true },
    answers: { 204: 'They can log in now.', 409: 'The account does not wait for its identity.' },
  },
  'GET /v0/users': {
    id: 'listUsers',
    summary: 'List accounts',
    token: 'users',
    query: UserQuery.entries,
    answers: { 200: json('At most 100.', UserPage) },
  },
})
