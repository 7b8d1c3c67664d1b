import { BLOCKCHAINS, STORAGE_TARGETS } from '../../protocol/chains.ts'
import { OBJECT_ID_PATTERN } from '../../protocol/object-id.ts'
import { ROLES } from '../auth/roles.ts'
import { MAX_TXIDS } from '../chain-content/parse-request.ts'
import { ERROR_CODES } from '../http/error-codes.ts'
import { STEP_STATES, STEPS } from '../sites/domain-steps.ts'
import { SCOPES } from '../storage/accounts/api-keys.ts'
import { AUDIT_ACTS } from '../storage/audit/audit-acts.ts'
import { WEBHOOK_TYPES } from '../storage/events/event-types.ts'
import { STATUS_TEXTS } from '../storage/items/item-state.ts'
import { REPORT_STATUSES } from '../storage/reports/reports.ts'
import { DENIED_KINDS } from '../storage/sites/denied.ts'
import { object, ref, type Schema } from './operation.ts'
import { PATTERNS } from './patterns.ts'

const seconds = (description: string): Schema => ({ type: 'integer', description: `${description}, in Unix seconds.` })
const coins = (description: string): Schema => ({
  type: 'number',
  description: `${description}, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double.`,
})

export const EMAIL: Schema = { type: 'string', pattern: PATTERNS.email, description: 'In lower case, or made so.' }
export const PASSWORD: Schema = {
  type: 'string',
  pattern: PATTERNS.password,
  maxLength: 1024,
  description: 'At least 6 characters, with a digit, a lower- and an upper-case letter; at most 1,024 bytes.',
}
export const TXID = ref('Txid')
export const OBJECT_ID = ref('ObjectId')
export const REPORT_STATUS: Schema = { type: 'string', enum: REPORT_STATUSES }
export const MESSAGE = object({ message: { type: 'string' } })

/** What an amount is made of; for requests of long ago it is not known. */
const PRICE_PARTS = {
  networkFee: coins("Of the amount, the network's fees with a margin"),
  storageFee: coins('Of the amount, the price of the service'),
  dustFee: coins('Of the amount, what is there because the network relays no smaller output; absent where nothing is'),
}
const PART_NAMES = ['networkFee', 'storageFee', 'dustFee']

const timeOrNull = (description: string): Schema => ({
  type: ['integer', 'null'],
  description: `${description}, in Unix seconds.`,
})

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

const ITEM = object(
  {
    id: OBJECT_ID,
    name: { type: 'string' },
    mimetype: { type: 'string', example: 'image/png' },
    blockchain: ref('StorageTarget'),
    folder: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    path: {
      type: ['string', 'null'],
      description: 'Names of the folders that it lies in, the outermost first, joined by `/`.',
    },
    files: { type: ['integer', 'null'], description: 'How many files a merged folder has.' },
    status: ref('ItemStatus'),
    message: { type: ['string', 'null'], description: 'What there is to say of the status.' },
    merging: {
      type: 'boolean',
      const: true,
      description: 'Only while the merge goes on, which has no percentage; the status is still `201 Created`.',
    },
    size: { type: 'integer', description: 'Bytes of the content.' },
    storedSize: {
      type: ['integer', 'null'],
      description: 'Bytes that are stored, from merge on: compressed for a chain, all blocks for IPFS.',
    },
    txids: {
      type: 'array',
      items: TXID,
      description:
        'In order; there once every transaction is confirmed. Lists leave them out where they are more than 100.',
    },
    cid: { type: ['string', 'null'], description: 'Of an IPFS item, from merge on.' },
    transactions: { type: ['integer', 'null'], description: 'Data transactions that it takes, from merge on.' },
    written: { type: 'integer', description: 'Transactions sent to the chain.' },
    confirmed: { type: 'integer', description: 'Transactions with all confirmations.' },
    received: {
      type: 'integer',
      description: 'Bytes that are held of an upload; in the answer of a single item, while it is being uploaded.',
    },
    createdAt: seconds('When it was made'),
    links: object({
      content: { type: 'string', format: 'uri', description: 'The decoded bytes.' },
      web: { type: ['string', 'null'], format: 'uri', description: 'The same by txids or CID; null where too long.' },
      site: { type: 'string', format: 'uri', description: 'The item as a site on an origin of its own.' },
    }),
    embed: { type: ['string', 'null'], description: 'HTML that shows the item, verified by the page helper.' },
  },
  ['txids', 'received', 'merging'],
)

const perChain = (schema: Schema): Schema => object(Object.fromEntries(BLOCKCHAINS.map((name) => [name, schema])))

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

export const SCHEMAS: Record<string, Schema> = {
  Problem: {
    ...object({
      message: { type: 'string', description: 'A sentence that a person can act on.' },
      code: {
        type: 'string',
        enum: Object.keys(ERROR_CODES),
        description: 'Stable, for programs.',
        example: 'invalid_field',
      },
    }),
    description: 'Every refusal, unless it has no body.',
  },
  ObjectId: { type: 'string', pattern: OBJECT_ID_PATTERN, description: 'Of an item or a folder.' },
  Txid: {
    type: 'string',
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'Of a transaction, in the order that people read.',
  },
  Blockchain: { type: 'string', enum: BLOCKCHAINS, description: 'Capitals matter.' },
  StorageTarget: { type: 'string', enum: STORAGE_TARGETS, description: 'Capitals matter.' },
  ItemStatus: {
    type: 'string',
    enum: STATUS_TEXTS,
    description:
      'Being uploaded; waiting for payment; paid and being written; stored; needing an operator, `message` says why.',
  },
  Item: ITEM,
  Folder: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    blockchain: ref('StorageTarget'),
    parent: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    item: { type: ['string', 'null'], description: 'The item that it was merged into.' },
    items: { type: 'integer', description: 'Files in it and below it.' },
    createdAt: seconds('When it was made'),
  }),
  Upload: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    path: { type: ['string', 'null'], description: 'Names of the folders above it, joined by `/`.' },
    mimetype: { type: 'string' },
    blockchain: ref('StorageTarget'),
    folder: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    size: { type: 'integer', minimum: 0 },
    received: { type: 'integer', minimum: 0, description: 'Bytes: where the upload goes on.' },
    createdAt: seconds('When it was begun'),
    expiresAt: seconds('When it is removed unless bytes are added'),
  }),
  Target: object({
    blockchain: ref('StorageTarget'),
    available: { type: 'boolean' },
    reason: { type: ['string', 'null'], description: 'A sentence: why nothing can be stored there now.' },
    paidIn: ref('Blockchain'),
    maxFileBytes: { type: 'integer', description: 'Of a file by its own size; more is refused before the upload.' },
    maxFiles: { type: 'integer', description: 'Of one order, or of one folder on IPFS.' },
    maxDataBytes: { type: ['integer', 'null'], description: 'Data bytes of one transaction; null for IPFS.' },
    confirmations: { type: 'integer', description: 'Depth at which a payment settles.' },
    minutes: { type: 'number', description: 'Usual minutes from a payment until it is written, before its depth.' },
  }),
  Estimate: object(
    {
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      amount: coins('What it costs at most'),
      networkFee: coins("The network's fees, with a margin"),
      storageFee: coins("This service's price"),
      dustFee: coins('Added because the network relays no smaller output; only where it is more than nothing'),
      transactions: { type: 'integer', description: 'Data transactions at most.' },
      readAt: seconds('When the fee rate was read'),
    },
    ['dustFee'],
  ),
  Source: object(
    {
      blockchain: ref('StorageTarget'),
      name: { type: 'string' },
      mimetype: { type: 'string' },
      size: { type: 'integer', description: 'Bytes of the content.' },
      txids: { type: 'array', items: TXID, description: 'Of an item on a chain, in order.' },
      cid: { type: 'string', description: 'Of an item on IPFS.' },
    },
    ['txids', 'cid'],
  ),
  PaymentRequest: object(
    {
      message: { type: 'string' },
      amount: coins('What is to be paid'),
      ...PRICE_PARTS,
      address: { type: 'string', description: 'Where to. It is used once.' },
      uri: { type: 'string', description: 'Link by BIP 21 and BIP 321 with what is left to pay.' },
      expiresAt: seconds('Until when the price holds'),
      confirmations: { type: 'integer', description: 'How many a payment needs.' },
      received: coins('What has been seen at the address'),
    },
    PART_NAMES,
  ),
  Payment: object(
    {
      kind: { type: 'string', enum: ['request', 'deposit'] },
      address: { type: 'string' },
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      state: { type: 'string', enum: ['open', 'seen', 'settled', 'expired', 'cancelled', 'credited'] },
      amount: coins('What a request asks'),
      ...PRICE_PARTS,
      received: coins('What has been seen at the address, at any depth'),
      credited: coins('Of that, what became balance: late, in excess, or a deposit'),
      uri: { type: 'string', description: 'Link by BIP 21 and BIP 321 with what is left to pay.' },
      confirmations: { type: 'integer', description: 'How many a payment needs.' },
      items: { type: 'integer', description: 'How many items a request pays for.' },
      ids: { type: 'array', items: OBJECT_ID },
      names: { type: 'array', items: { type: 'string' }, description: 'Of the first three of them.' },
      transactions: {
        type: 'array',
        items: object({
          txid: TXID,
          amount: coins('What it pays to the address'),
          depth: { type: 'integer' },
          seenAt: seconds('When it was first seen'),
          late: { type: 'boolean', description: 'After the request expired.' },
          replaced: { type: 'boolean', description: 'It is in no block, and in no mempool any more.' },
        }),
      },
      createdAt: seconds('When it was made'),
      expiresAt: { type: ['integer', 'null'], description: 'Until when the price holds, in Unix seconds.' },
      settledAt: { type: ['integer', 'null'], description: 'When it was paid, in Unix seconds.' },
      transactionCount: { type: ['integer', 'null'], description: 'Data transactions that a request pays for.' },
      storedSize: { type: ['integer', 'null'], description: 'Bytes that a request pays for.' },
    },
    ['amount', ...PART_NAMES],
  ),
  LedgerEntry: object({
    id: { type: 'string' },
    at: seconds('When it was moved'),
    blockchain: ref('Blockchain'),
    kind: {
      type: 'string',
      enum: ['deposit', 'late', 'excess', 'payment', 'withdrawal', 'fee', 'refund', 'manual'],
      description:
        '`late`: it came when its request had ended; `excess`: it was paid already; `manual`: an act of the operator.',
    },
    subject: {
      type: ['string', 'null'],
      description: 'Where it came from or went to: an address, or the names of the first items that were paid for.',
    },
    change: coins('What was moved: more than 0 in, less out'),
    balance: coins('The balance after it'),
  }),
  Withdrawal: object(
    {
      id: { type: 'string' },
      blockchain: ref('Blockchain'),
      address: { type: 'string' },
      amount: coins('What is sent'),
      fee: coins('What left the balance beside it'),
      state: {
        type: 'string',
        enum: ['waiting', 'sent', 'confirmed', 'failed'],
        description: '`failed`: it is not sent before an operator acts; `message` says why.',
      },
      message: { type: 'string' },
      txid: { oneOf: [TXID, { type: 'null' }], description: 'Once it is sent.' },
      depth: { type: 'integer', description: 'How deep it is on the chain.' },
      createdAt: seconds('When it was asked for'),
    },
    ['message'],
  ),
  Receipt: object(
    {
      item: OBJECT_ID,
      name: { type: 'string' },
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      amount: coins('What was paid for all items of the request'),
      ...PRICE_PARTS,
      paidAt: seconds('When it was paid'),
      fromBalance: coins('Of the amount, what the balance paid'),
      payments: {
        type: 'array',
        items: object({ txid: TXID, amount: coins('What it paid to the address') }),
        description: 'The transactions that paid the request in time.',
      },
      items: { type: 'integer', description: 'Items that were paid for together.' },
    },
    PART_NAMES,
  ),
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
  Permissions: {
    type: 'array',
    items: object({
      name: { type: 'string', enum: ROLES.admin },
    }),
  },
  Content: object({
    blockchain: ref('Blockchain'),
    txids: { type: 'array', items: TXID, minItems: 1, maxItems: MAX_TXIDS, description: 'In order; repeats count.' },
  }),
  Denied: object({
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    reason: { type: 'string', maxLength: 1000 },
  }),
  DeniedEntry: object({
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    reason: { type: 'string' },
    deniedBy: { type: 'string', description: 'The account of the moderator.' },
    updatedAt: seconds('When it was put on the list'),
  }),
  DenylistImport: object({
    url: { type: ['string', 'null'], description: 'As the operator set it; null where none is followed.' },
    entries: { type: 'integer', minimum: 0 },
    skipped: { type: 'integer', minimum: 0, description: 'Rules that are of no use here.' },
    leftOut: { type: 'integer', minimum: 0, description: 'Rules beyond the most that are taken.' },
    checkedAt: { type: ['integer', 'null'], description: 'When it was looked at, in Unix seconds.' },
    changedAt: { type: ['integer', 'null'], description: 'When it last changed, in Unix seconds.' },
    problem: { type: ['string', 'null'], description: 'Why the last look failed; what was known holds.' },
  }),
  NewReport: object(
    {
      kind: { type: 'string', enum: DENIED_KINDS },
      value: { type: 'string' },
      blockchain: ref('Blockchain'),
      reason: { type: 'string', maxLength: 1000 },
      evidence: {
        type: ['string', 'null'],
        maxLength: 4000,
        description: 'What shows it: a text, or where it can be seen.',
      },
    },
    ['blockchain', 'evidence'],
  ),
  Report: object({
    id: OBJECT_ID,
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    blockchain: { type: ['string', 'null'], description: 'Where a transaction was seen.' },
    reason: { type: 'string', description: 'Of the first who reported it, as are `evidence` and `oldest`.' },
    evidence: { type: ['string', 'null'] },
    reports: { type: 'integer', minimum: 1, description: 'How often it was reported.' },
    oldest: seconds('When it was reported first'),
    status: REPORT_STATUS,
    url: { type: ['string', 'null'], description: 'Where it can be looked at, on a host of its own.' },
    statements: {
      type: 'array',
      description: 'What the first ten who reported it said.',
      items: object({
        at: seconds('When it was said'),
        reason: { type: 'string' },
        evidence: { type: ['string', 'null'] },
      }),
    },
    decision: {
      oneOf: [
        object({
          by: { type: 'string' },
          at: seconds('When it was decided'),
          reason: { type: ['string', 'null'] },
        }),
        { type: 'null' },
      ],
    },
  }),
  Webhook: object(WEBHOOK),
  OperateChain: object({
    height: { type: ['integer', 'null'] },
    tip: { type: ['integer', 'null'], description: 'Age of the newest block in seconds.' },
    step: { type: ['integer', 'null'], description: 'Seconds since the last step.' },
    locked: { type: 'boolean' },
    payment: { type: 'string', enum: ['up', 'down'] },
    setAside: { type: 'integer' },
    oldestUnwritten: { type: ['integer', 'null'], description: 'Seconds that the oldest paid item waits.' },
    usualMinutes: { type: 'number' },
    waiting: { type: 'integer', description: 'Paid items that are not written.' },
    free: coins('What fees can be paid from'),
    reason: { type: ['string', 'null'], description: 'What is wrong, in a sentence.' },
    remedy: { type: ['string', 'null'], description: 'What the operator can do.' },
  }),
  SetAside: object({
    id: { type: 'string', description: 'Its name.' },
    kind: { type: 'string', description: '`stopped` is an item in `409 Conflict`.' },
    subject: { type: 'string' },
    owner: { type: ['string', 'null'], description: 'The account that it is of.' },
    blockchain: ref('Blockchain'),
    reason: { type: 'string' },
    since: seconds('Since when it waits'),
    actions: { type: 'array', items: { type: 'string', enum: ['retry', 'settle', 'credit', 'close'] } },
  }),
  Reconciliation: object({
    blockchain: ref('Blockchain'),
    ledger: coins('What customers paid, as the ledger has it, with what waits to be credited'),
    wallet: coins('What customers paid, as the wallet received it in blocks'),
    chain: coins('What customers paid, in blocks that were checked'),
    owed: coins('What the ledger owes to accounts'),
    held: coins('All that the wallet holds'),
    difference: coins('Wallet less ledger, or, where these agree, chain less ledger'),
    readAt: seconds('When they were compared'),
  }),
  AuditEntry: object(
    {
      id: { type: 'string' },
      at: seconds('When it was done'),
      act: { type: 'string', enum: Object.keys(AUDIT_ACTS) },
      by: {
        type: 'string',
        description:
          'The account that did it; `command` for one run beside the service, `service` for the service itself.',
      },
      account: { type: ['string', 'null'], description: 'The account that it is about.' },
      subject: { type: ['string', 'null'], description: 'What it was done to, as `kind:id`.' },
      reason: { type: ['string', 'null'] },
      blockchain: ref('Blockchain'),
      amount: coins('What was moved'),
    },
    ['blockchain', 'amount'],
  ),
  Site: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    host: { type: 'string', description: 'Its own host under the storage host.' },
    url: { type: 'string' },
    version: { type: ['integer', 'null'], description: 'The number of the current version; null before the first.' },
    item: { type: ['string', 'null'], description: 'The item that is shown.' },
    versions: { type: 'integer', description: 'How many there are, which is the number of the latest.' },
    createdAt: seconds('When it was made'),
  }),
  SiteVersion: object({
    number: { type: 'integer' },
    item: OBJECT_ID,
    name: { type: 'string', description: 'Of its item.' },
    note: { type: ['string', 'null'], description: 'What its maker said is new in it.' },
    blockchain: ref('StorageTarget'),
    size: { type: 'integer', description: 'Bytes of the content.' },
    url: { type: 'string', description: 'Of the version on a host of its own, current or not.' },
    createdAt: seconds('When it was added'),
    periods: {
      type: 'array',
      maxItems: 20,
      items: object({
        from: seconds('When it became current'),
        until: { type: ['integer', 'null'], description: 'When another one did; null while it is current.' },
        by: { type: 'string', description: 'Who made it current.' },
      }),
      description: 'When it was current, the latest first.',
    },
  }),
  DomainStep: object({
    step: { type: 'string', enum: STEPS },
    state: {
      type: 'string',
      enum: STEP_STATES,
      description: '`unknown`: not looked at yet, or it could not be asked, which is no failure.',
    },
    found: { type: ['string', 'null'] },
    wanted: { type: ['string', 'null'], description: 'What should be there instead; null where it is right.' },
    checkedAt: { type: ['integer', 'null'], description: 'In Unix seconds; null before the first look.' },
  }),
  Domain: object({
    host: { type: 'string', example: 'www.example.com' },
    item: { type: ['string', 'null'], description: 'The item that it shows; null for a site.' },
    site: { type: ['string', 'null'], description: 'The site that it shows; null for an item.' },
    status: {
      type: 'string',
      description:
        '`active`, or what Cloudflare says of the custom hostname; `waiting` for its record, or `stopped` after a day of that.',
    },
    record: { type: 'string', description: 'The DNS record that proved the claim, or is waited for.' },
    waitsUntil: { type: ['integer', 'null'], description: 'Until when DNS is asked each minute, in Unix seconds.' },
    records: {
      type: 'array',
      description: 'The records of which one is enough.',
      items: object({
        type: { type: 'string', enum: ['CNAME', 'TXT'] },
        name: { type: 'string' },
        content: { type: 'string' },
      }),
    },
    steps: { type: 'array', items: ref('DomainStep'), description: 'What the last check found, in order.' },
  }),
}
