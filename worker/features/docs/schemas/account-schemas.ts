import { WEBHOOK_TYPES } from '../../../platform/records/event-types.ts'
import { ROLES } from '../../auth/roles.ts'
import { SCOPES } from '../../auth/sql/api-keys.ts'
import { object, ref, type Schema } from '../operation.ts'
import { coins, EMAIL, PASSWORD, perChain, seconds, TXID, timeOrNull } from './field-schemas.ts'

/** What is told of a webhook. */
export const WEBHOOK: Record<string, Schema> = {
  id: { type: 'string' },
  url: { type: 'string' },
  types: { type: 'array', items: { type: 'string', enum: WEBHOOK_TYPES } },
  createdAt: seconds('When it was added'),
  failingSince: timeOrNull('Since when it took no message'),
  problem: { type: ['string', 'null'], description: 'What the last failure was.' },
  offAt: timeOrNull('When it was turned off'),
}

const QUOTA = object({ limit: { type: 'integer', minimum: 0 }, used: { type: 'integer', minimum: 0 } })

const USER = object({
  id: { type: 'string' },
  email: { type: 'string' },
  firstName: { type: 'string' },
  lastName: { type: 'string' },
  role: object({ name: { type: 'string', enum: Object.keys(ROLES) }, permissions: ref('Permissions') }),
  permissions: ref('Permissions'),
  status: { type: 'integer', enum: [0, 1, 2, 3], description: 'Closed, active, email pending, identity pending.' },
  createdAt: seconds('When it was made'),
})

/** Accounts, and what they log in and are told with. */
export const ACCOUNT_SCHEMAS: Record<string, Schema> = {
  Credentials: object({
    email: EMAIL,
    password: PASSWORD,
  }),
  User: USER,
  Profile: {
    ...USER,
    properties: {
      ...USER.properties,
      addresses: perChain({ type: ['string', 'null'] }),
      balances: perChain(coins('What can be spent')),
      pending: perChain(coins('What is seen and not deep enough yet')),
      reserved: perChain(coins('What left the balance and is not sent yet, or was taken back by the chain for now')),
      quotas: object({
        unpaidItems: QUOTA,
        unpaidBytes: QUOTA,
        merges: QUOTA,
        folders: QUOTA,
        domains: QUOTA,
        sites: QUOTA,
        unusedAddresses: QUOTA,
        keys: QUOTA,
      }),
      key: { ...ref('ApiKey'), description: 'The API key that it was asked with.' },
    },
    description:
      'With the balance and the current deposit address of each chain, null where there is none yet, and the quotas.',
  },
  Permissions: {
    type: 'array',
    items: object({
      name: { type: 'string', enum: ROLES.admin },
    }),
  },
  Passkey: object({
    id: { type: 'string' },
    name: { type: 'string' },
    createdAt: seconds('When it was added'),
    lastUsedAt: { type: ['integer', 'null'], description: 'In Unix seconds.' },
  }),
  ApiKey: object({
    id: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'array', items: { type: 'string', enum: SCOPES } },
    createdAt: seconds('When it was made'),
    expiresAt: { type: ['integer', 'null'], description: 'In Unix seconds; null: it does not end.' },
    lastUsedAt: { type: ['integer', 'null'], description: 'To the minute, in Unix seconds.' },
    spending: {
      type: ['object', 'null'],
      additionalProperties: coins('The most that it may spend of the chain on a UTC day'),
      description: 'By blockchain; null: no limit but the balance.',
    },
  }),
  Webhook: object(WEBHOOK),
  ConsoleSettings: object({
    storageOrigin: { type: 'string', description: 'Of the storage host.' },
    letter: {
      oneOf: [object({ blockchain: ref('Blockchain'), txids: { type: 'array', items: TXID } }), { type: 'null' }],
      description: 'A text on a chain that the sign-in page shows.',
    },
    passkeys: { type: 'boolean', description: 'Whether passkeys are taken here.' },
    outbox: { type: ['string', 'null'], description: 'Where mails can be read, on embedded chains.' },
    faucet: {
      type: ['string', 'null'],
      description: 'A page that pays from the wallet of an embedded chain, by `blockchain`, `address` and `amount`.',
    },
  }),
}
