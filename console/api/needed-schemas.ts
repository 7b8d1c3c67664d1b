import { object, ref, type Schema } from '../../worker/openapi/operation.ts'

const TEXT: Schema = { type: 'string' }
const NULL_TEXT: Schema = { type: ['string', 'null'] }
const COUNT: Schema = { type: 'integer', minimum: 0 }
const NULL_COUNT: Schema = { type: ['integer', 'null'] }
/** Unix seconds. */
const TIME: Schema = { type: 'integer' }
const NULL_TIME: Schema = { type: ['integer', 'null'] }
const COINS: Schema = { type: 'number', description: 'In coins with at most 8 decimals.' }
const FLAG: Schema = { type: 'boolean' }
export const list = (items: Schema): Schema => ({ type: 'array', items })
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values })

/** What the console needs of the description that the API does not describe yet. */
export const NEEDED_SCHEMAS: Record<string, Schema> = {
  Withdrawal: object({
    id: TEXT,
    blockchain: ref('Blockchain'),
    address: TEXT,
    amount: COINS,
    fee: COINS,
    state: oneOf('waiting', 'sent', 'confirmed', 'failed'),
    txid: NULL_TEXT,
    depth: COUNT,
    createdAt: TIME,
  }),
  ItemTransaction: object({
    index: COUNT,
    txid: { ...NULL_TEXT, description: 'Only once the transaction has its depth.' },
    bytes: COUNT,
    state: oneOf('waiting', 'sent', 'confirmed', 'stored'),
    depth: COUNT,
    lastSeen: NULL_TIME,
  }),
  SiteProblem: object({
    file: oneOf('_headers', '_redirects'),
    line: COUNT,
    text: TEXT,
    fault: { ...TEXT, description: 'A sentence that says what is wrong and what to write instead.' },
    effect: { ...oneOf('fails', 'ignored'), description: '`fails`: the site answers 500 because of it.' },
  }),
  Passkey: object({ id: TEXT, name: TEXT, createdAt: TIME, lastUsedAt: NULL_TIME }),
  ChainHealth: object({
    height: NULL_COUNT,
    tip: { ...NULL_COUNT, description: 'Age of the newest block in seconds.' },
    step: { ...NULL_COUNT, description: 'Seconds since the last step.' },
    locked: FLAG,
    payment: oneOf('up', 'down'),
    setAside: COUNT,
    oldestUnwritten: { ...NULL_COUNT, description: 'Seconds that the oldest paid item waits.' },
    usualMinutes: { type: 'number' },
    waiting: { ...COUNT, description: 'Paid items that are not written.' },
    free: COINS,
    reason: { ...NULL_TEXT, description: 'What is wrong, in a sentence.' },
    remedy: { ...NULL_TEXT, description: 'What the operator can do, in a sentence or as a command.' },
  }),
  SetAside: object({
    id: TEXT,
    kind: oneOf('item', 'request', 'deposit', 'output', 'lane'),
    subject: TEXT,
    owner: NULL_TEXT,
    blockchain: ref('StorageTarget'),
    reason: TEXT,
    since: TIME,
    actions: list(oneOf('retry', 'settle', 'credit', 'close')),
  }),
  Reconciliation: object({
    blockchain: ref('Blockchain'),
    ledger: COINS,
    wallet: COINS,
    chain: COINS,
    difference: COINS,
    readAt: TIME,
  }),
}

/** What schemas that are described already gain. */
export const NEEDED_PROPERTIES: Record<string, Record<string, Schema>> = {
  Item: {
    path: { ...NULL_TEXT, description: 'Names of the folders above it, joined by `/`.' },
    files: { ...NULL_COUNT, description: 'Files of a directory item.' },
    merging: FLAG,
  },
}
