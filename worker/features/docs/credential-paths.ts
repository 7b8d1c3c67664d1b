import { MAX_NAME } from '../auth/parse-name.ts'
import { SCOPES } from '../auth/sql/api-keys.ts'
import { common, empty, inPath, json, jsonBody, object, type Paths, ref, refusal, token } from './operation.ts'
import { PATTERNS } from './patterns.ts'

const tags = ['Accounts'] as const
const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME, description: 'What it is for.' }
/** An object whose fields another specification says. */
const WEBAUTHN = { type: 'object', additionalProperties: true }
const LOGIN_AGAIN = refusal('The login is older than ten minutes (`login_again`).')
const NO_PASSKEYS = 'Browsers take no passkeys for the address that was asked (`passkeys_off`)'

export const CREDENTIAL_PATHS: Paths = {
  '/v0/token/passkey': {
    post: {
      tags: ['Tokens'],
      operationId: 'passkeyLoginOptions',
      summary: 'Ask for a passkey',
      description:
        'The answer goes to POST /console/session as `passkey`, within five minutes, once: passkeys log people in at the console.',
      responses: {
        '200': json('PublicKeyCredentialRequestOptionsJSON (WebAuthn Level 3).', WEBAUTHN),
        ...common(),
        '403': refusal(`${NO_PASSKEYS}.`),
      },
    },
  },
  '/v0/user/passkeys': {
    get: {
      tags,
      operationId: 'listPasskeys',
      summary: 'Your passkeys',
      security: token(),
      responses: {
        '200': json('All of them, newest first.', object({ passkeys: { type: 'array', items: ref('Passkey') } })),
        ...common('401'),
      },
    },
    post: {
      tags,
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      description: 'With what the browser made by the options of POST /v0/user/passkeys/options, within five minutes.',
      security: token(),
      requestBody: jsonBody(object({ name: { ...NAME, description: 'Of the device.' }, response: WEBAUTHN })),
      responses: {
        '201': json('It logs in from now on.', ref('Passkey')),
        ...common('401', '413', '415'),
        '400': refusal('This is no new passkey for this account, or it came too late.'),
        '403': refusal(`The login is older than ten minutes (\`login_again\`), or: ${NO_PASSKEYS}.`),
        '409': refusal('The account has all the passkeys that one may have (`quota_exceeded`).'),
      },
    },
  },
  '/v0/user/passkeys/options': {
    post: {
      tags,
      operationId: 'passkeyOptions',
      summary: 'Ask for a new passkey',
      security: token(),
      responses: {
        '200': json('PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3).', WEBAUTHN),
        ...common('401'),
        '403': refusal(`The login is older than ten minutes (\`login_again\`), or: ${NO_PASSKEYS}.`),
        '409': refusal('The account has all the passkeys that one may have (`quota_exceeded`).'),
      },
    },
  },
  '/v0/user/passkeys/{id}': {
    delete: {
      tags,
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      security: token(),
      parameters: [inPath('id', 'Of the passkey.', { type: 'string', pattern: PATTERNS.uuid })],
      responses: { '204': empty('It does not log in any more.'), ...common('401', '404') },
    },
  },
  '/v0/user/keys': {
    get: {
      tags,
      operationId: 'listKeys',
      summary: 'Your API keys',
      security: token(),
      responses: {
        '200': json('All of them, newest first.', object({ keys: { type: 'array', items: ref('ApiKey') } })),
        ...common('401', '403'),
      },
    },
    post: {
      tags,
      operationId: 'createKey',
      summary: 'Make an API key',
      description:
        'For servers and CI, sent as `Authorization: Bearer`. It is shown once; only its hash is kept. `read` covers items, payments and domains, `store` uploads, `pay` payments, `sites` domains. None takes money out, makes keys or ends sessions. A key ends when it expires, is revoked, or the password is reset by mail.',
      security: token(),
      requestBody: jsonBody(
        object(
          {
            name: NAME,
            scopes: { type: 'array', items: { type: 'string', enum: SCOPES }, minItems: 1 },
            expiresAt: { type: ['integer', 'null'], description: 'In Unix seconds; without it the key does not end.' },
            spending: {
              type: ['object', 'null'],
              additionalProperties: { type: 'string', pattern: PATTERNS.coins },
              description:
                'The most that it may spend on a UTC day, in coins as text by blockchain; what is not named is not spent from. Without it there is no limit but the balance.',
            },
          },
          ['expiresAt', 'spending'],
        ),
        { name: 'ci', scopes: ['store', 'pay'], spending: { Nativecoin: '0.5' } },
      ),
      responses: {
        '201': json('The key, this once.', object({ id: { type: 'string' }, key: { type: 'string' } })),
        ...common('400', '401', '413', '415'),
        '403': LOGIN_AGAIN,
        '409': refusal('The account has all the keys that its quota allows (`quota_exceeded`).'),
      },
    },
  },
  '/v0/user/keys/{id}': {
    delete: {
      tags,
      operationId: 'revokeKey',
      summary: 'Revoke an API key',
      security: token(),
      parameters: [inPath('id', 'Of the key.', { type: 'string', pattern: PATTERNS.uuid })],
      responses: { '204': empty('It is not taken any more.'), ...common('401', '403', '404') },
    },
  },
}
