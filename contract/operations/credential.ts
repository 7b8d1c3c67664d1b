import { ApiKey, CreatedKey, NewKey, NewPasskey, Passkey, webauthn } from '../account.ts'
import { idOf, uuid } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { json, operations } from '../operation.ts'
import { list, object } from '../schema.ts'

const NO_PASSKEY = `The login is older than ${inWords(LIFETIMES.recentLogin)} (\`login_again\`), or: Browsers do not support passkeys for this address (\`passkeys_off\`).`

/** What an account logs in with beside its password, and what programs do. */
export const CREDENTIAL_OPERATIONS = operations('Accounts', {
  'GET /v0/user/passkeys': {
    id: 'listPasskeys',
    summary: 'Your passkeys',
    token: true,
    answers: { 200: json('All of them, newest first.', object({ passkeys: list(Passkey) })) },
  },
  'POST /v0/user/passkeys': {
    id: 'addPasskey',
    summary: 'Add a passkey',
    description: `With what the browser made by the options of POST /v0/user/passkeys/options, within ${inWords(LIFETIMES.challenge)}.`,
    token: true,
    body: NewPasskey,
    answers: {
      201: json('It logs in from now on.', Passkey),
      400: 'The passkey is already registered, or its answer is invalid or too old.',
      403: NO_PASSKEY,
      409: 'The account has all the passkeys that one may have (`quota_exceeded`).',
    },
  },
  'POST /v0/user/passkeys/options': {
    id: 'passkeyOptions',
    summary: 'Ask for a new passkey',
    token: true,
    answers: {
      200: json('PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3).', webauthn()),
      403: NO_PASSKEY,
      409: 'The account has all the passkeys that one may have (`quota_exceeded`).',
    },
  },
  'DELETE /v0/user/passkeys/{id}': {
    id: 'removePasskey',
    summary: 'Remove a passkey',
    token: true,
    path: { id: idOf('passkey', uuid) },
    answers: { 204: 'It does not log in any more.' },
  },
  'GET /v0/user/keys': {
    id: 'listKeys',
    summary: 'Your API keys',
    token: true,
    answers: { 200: json('All of them, newest first.', object({ keys: list(ApiKey) })) },
  },
  'POST /v0/user/keys': {
    id: 'createKey',
    summary: 'Make an API key',
    description:
      'For servers and CI, sent as `Authorization: Bearer`. It is shown once; only its hash is stored. `read` covers items, payments and domains, `store` uploads, `pay` payments, `sites` domains. None allows withdrawals, new keys or the end of sessions. A key ends when it expires, is revoked, or the password is reset by mail.',
    token: true,
    body: NewKey,
    example: { name: 'ci', scopes: ['store', 'pay'], spending: { Nativecoin: '0.5' } },
    answers: {
      201: json('The key, this once.', CreatedKey),
      400: 'A field is wrong, or a key with the scope `pay` has no `spending`.',
      403: `The login is older than ${inWords(LIFETIMES.recentLogin)} (\`login_again\`).`,
      409: 'The account has all the keys that its quota allows (`quota_exceeded`).',
    },
  },
  'DELETE /v0/user/keys/{id}': {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    token: true,
    path: { id: idOf('key', uuid) },
    answers: { 204: 'It is not accepted any more.' },
  },
})
