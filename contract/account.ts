import * as v from 'valibot'
import { coinsText, FROM_CURSOR, jwt, MESSAGE, named, Problem, perChain, personName } from './fields.ts'
import { LANGUAGES } from './languages.ts'
import { inWords, LIFETIMES } from './lifetimes.ts'
import { eachQuota } from './quotas.ts'
import {
  anything,
  coins,
  count,
  flag,
  integer,
  list,
  noted,
  nullable,
  nullish,
  number,
  type Output,
  object,
  only,
  optional,
  record,
  seconds,
  someOf,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { PERMISSIONS, ROLES, SCOPES } from './scopes.ts'

/**
 * The patterns of docs/behaviour/tokens.md, matched whole. The `.` before the top-level domain is any character there:
 * here any printable one of ASCII but `<` and `>`, which frame addresses in mails.
 */
const EMAIL = /^(?:[a-z0-9._%+-]+@[a-z0-9.-]+[ -;=?-~][a-z]{2,4}$)$/
const PASSWORD = /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{6,})$/
/** RFC 5321, 4.5.3.1.3: a longer path cannot be mailed to. */
const MAX_EMAIL = 254
const MAX_PASSWORD_BYTES = 1024

const Email = v.pipe(
  noted(text(), 'In lower case, or made so.', { pattern: EMAIL.source }),
  v.toLowerCase(),
  v.check((email) => email.length <= MAX_EMAIL && EMAIL.test(email), 'is not an email address.'),
)
const NewPassword = noted(
  v.pipe(
    text(),
    v.check(
      (password) => PASSWORD.test(password),
      'needs at least 6 characters, among them a digit, a lower-case and an upper-case letter.',
    ),
    v.check(
      (password) => new TextEncoder().encode(password).length <= MAX_PASSWORD_BYTES,
      `is longer than ${MAX_PASSWORD_BYTES} bytes.`,
    ),
  ),
  `At least 6 characters, with a digit, a lower- and an upper-case letter; at most ${MAX_PASSWORD_BYTES.toLocaleString('en-US')} bytes.`,
  { pattern: PASSWORD.source, maxLength: MAX_PASSWORD_BYTES },
)
const Name = personName('No control characters.')

export const Credentials = object({ email: Email, password: NewPassword })
/** Headers of a password that show who asks, while strangers fail. */
export const PROOF_HEADER = {
  'Hookline-Proof': optional(
    text(
      `\`<challenge>.<nonce>\`, whose SHA-256 begins with \`bits\` zero bits; good once, within ${inWords(LIFETIMES.challenge)}.`,
    ),
  ),
}
export const LOGIN_HEADERS = {
  'Hookline-Device': optional(
    text(
      `An earlier refresh token of the account, at most ${inWords(LIFETIMES.knownDevice)} old, expired too: the login has limits of its own.`,
    ),
  ),
  ...PROOF_HEADER,
}
export const LoginRefused = object({
  ...Problem.entries,
  puzzle: optional(
    object({ challenge: text(), bits: integer('Zero bits that the SHA-256 of a proof begins with.') }),
    'With `proof_needed`: what `Hookline-Proof` answers.',
  ),
})
export const AccessToken = object({ accessToken: jwt('A JSON Web Token, HS256.') })
export const Tokens = object({
  ...AccessToken.entries,
  refreshToken: named('refresh token', jwt('A JSON Web Token, HS256.')),
})
export const RenewedTokens = object({ ...AccessToken.entries, refreshToken: optional(Tokens.entries.refreshToken) })
export type RenewedTokens = Output<typeof RenewedTokens>
export const RefreshToken = object({ token: named('refresh token', jwt('A refresh token.')) })
export const Renewal = object({
  ...RefreshToken.entries,
  rotate: optional(flag('Whether to answer another refresh token in place of this one.')),
})
/** 365 days, in seconds. */
const LONGEST_REFRESH = 31_536_000
export const Extension = object({
  token: named('refresh token', jwt('A live refresh token of yours.')),
  exp: integer('Lifetime in seconds.', { least: 1, most: LONGEST_REFRESH }),
})
export const ExtendedSession = object({ refreshToken: Tokens.entries.refreshToken })

export const NewUser = object({
  ...Credentials.entries,
  firstName: Name,
  lastName: Name,
  language: optional(words(LANGUAGES), 'Of the mails and the console; without it, what `Accept-Language` prefers.'),
})
export type NewUser = Output<typeof NewUser>
export const SignedUp = object({
  ...MESSAGE.entries,
  wait: named('wait', text('Random: the parameter of `GET /v0/user/wait/<wait>`.')),
})
export const Verified = object({ verified: flag() })
export const EmailAddress = object({ email: Email })
export const NewEmail = object({ email: Email, password: text('Of the account.') })
export type NewEmail = Output<typeof NewEmail>
export const NewNames = object({
  firstName: optional(Name),
  lastName: optional(Name),
  password: optional(text('The one until now; with `newPassword`, and without names.')),
  newPassword: optional(NewPassword),
  buyer: optional(text('Who buys, as your receipts name it: up to ten lines. For yourself alone.', { most: 500 })),
  orderMails: optional(flag('Whether you get mails about your orders and withdrawals.')),
  language: optional(
    nullable(words(LANGUAGES)),
    'Of your mails and the console; null: the console is in that of the browser, mails are in English.',
  ),
})
export type NewNames = Output<typeof NewNames>
export const Closing = object({
  leave: optional(flag('Close although money is left; the operator pays it out.')),
  password: text(),
})
export const MoneyLeft = object({ ...MESSAGE.entries, code: text(), balances: record(number()) })
export const NewPasswordByLink = object({ token: jwt('From the mail.'), password: NewPassword })
/** What the pages of mailed links send. */
export const LinkForm = object({ token: jwt('From the mail.'), password: text() })
export const LinkToken = object({ token: LinkForm.entries.token })
export const ConfirmedIdentity = object({ verified: only(true) })

export const Sessions = object({
  sessions: list(
    object({
      jti: named('session', text()),
      created: integer(),
      expires: integer(),
      current: flag('Whether the access token of this request is of it.'),
      device: nullable(text(), 'What it was begun with, such as "Firefox on Linux"; null where that is not known.'),
      country: nullable(text(), 'Where it was begun: two letters of ISO 3166-1; null where that is not known.'),
    }),
  ),
})

export const Permissions = list(object({ name: words(PERMISSIONS) }))
const USER_STATUSES = [0, 1, 2, 3] as const
export const User = object({
  id: named('account', text()),
  email: text(),
  firstName: text(),
  lastName: text(),
  role: object({ name: words(Object.keys(ROLES)), permissions: Permissions }),
  permissions: Permissions,
  status: noted(words(USER_STATUSES), 'Closed, active, email pending, identity pending.', { type: 'integer' }),
  createdAt: seconds('When it was made'),
})
export const UserQuery = object({
  status: optional(
    v.pipe(
      noted(v.string(), 'Only these.', { type: 'integer', enum: USER_STATUSES }),
      v.check((text) => /^[0-3]$/.test(text), 'must be 0, 1, 2 or 3.'),
      v.transform(Number),
    ),
  ),
  ...FROM_CURSOR,
})
export type UserQuery = Output<typeof UserQuery>
export const UserPage = object({
  users: list(User),
  cursor: nullable(text(), 'Cursor of the next page; null on the last.'),
})

export const ApiKey = object({
  id: named('key', text()),
  name: text(),
  scopes: list(words(SCOPES)),
  createdAt: seconds('When it was made'),
  expiresAt: nullable(integer(), 'In Unix seconds; null: it does not end.'),
  lastUsedAt: timeOrNull('To the minute'),
  spending: nullable(
    record(coins('The most that it may spend of the chain on a UTC day')),
    'By blockchain; null: none was set, and the key has not the scope `pay`.',
  ),
})
export const NewKey = object({
  name: personName('What it is for.'),
  scopes: someOf(SCOPES, `must be a list of ${SCOPES.join(', ')}, at least one of them.`),
  expiresAt: nullish(
    integer(undefined, { sentence: 'must be a time in the future, within ten years, in whole Unix seconds.' }),
    'In Unix seconds; without it the key does not end.',
  ),
  spending: nullish(
    record(coinsText('A decimal number of coins.')),
    'The most that it may spend on a UTC day, in coins as text by blockchain; what is not named is not spent from. Required with the scope `pay`.',
  ),
})
export type NewKey = Output<typeof NewKey>
export const CreatedKey = object({ id: named('key', text()), key: text() })

const Quota = object({ limit: count(), used: count() })
export const Profile = noted(
  object({
    ...User.entries,
    addresses: perChain(nullable(text())),
    balances: perChain(coins('What can be spent')),
    pending: perChain(coins('What is seen and not credited yet: not deep enough, or below the least deposit')),
    minDeposits: perChain(coins('What deposits have to be together to become balance; until then they are pending')),
    reserved: perChain(
      coins('What left the balance and is not sent yet, or whose transaction is no longer in a block'),
    ),
    quotas: object(eachQuota(() => Quota)),
    buyer: text('Who buys, as receipts name it; empty where you wrote nothing.'),
    orderMails: flag('Whether you get mails about your orders and withdrawals.'),
    language: nullable(words(LANGUAGES), 'Of your mails and the console; null: none was set.'),
    key: optional(ApiKey, 'The API key that it was asked with.'),
  }),
  'With the balance and the current deposit address of each chain, null where there is none yet, and the quotas.',
)

export const Passkey = object({
  id: named('passkey', text()),
  name: text(),
  createdAt: seconds('When it was added'),
  lastUsedAt: nullable(integer(), 'In Unix seconds.'),
})
/** An object whose fields WebAuthn says. */
export const webauthn = (description?: string) => anything(description, { type: 'object', additionalProperties: true })
export const NewPasskey = object({ name: personName('Of the device.'), response: webauthn() })
export const ConsoleLogin = object({ passkey: webauthn('AuthenticationResponseJSON (WebAuthn).') })
