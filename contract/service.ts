import { Blockchain, MESSAGE, named, Txid } from './fields.ts'
import { Checkpoint } from './proof.ts'
import { count, flag, integer, list, nullable, object, only, optional, record, text, words } from './schema.ts'
import { INCIDENT_CODES, STOP_PARTS } from './states.ts'

export const ConsoleSettings = object({
  storageOrigin: text('Of the storage host.'),
  letter: nullable(
    object({ blockchain: Blockchain, txids: list(Txid) }),
    'A text on a chain that the sign-in page shows.',
  ),
  passkeys: flag('Whether passkeys are accepted here.'),
  domains: flag('Whether sites can have domains of their own: a DNS resolver is configured.'),
  outbox: nullable(text(), 'Where mails can be read, on embedded chains.'),
  faucet: nullable(
    text(),
    'A page that pays from the wallet of an embedded chain, by `blockchain`, `address` and `amount`.',
  ),
  help: nullable(text(), 'A page in place of the help of the console; null where the operator names none.'),
  terms: nullable(text(), 'The terms of the service; null where the operator names none.'),
  privacy: nullable(text(), 'The personal data that is stored; null if the operator states nothing.'),
  contact: nullable(text(), 'Where the operator can be asked: a page, or `mailto:`; null where none is named.'),
})

const ChainHealth = object({
  height: optional(integer()),
  step: optional(integer('Seconds since the agent of this chain ended a step.')),
  tip: optional(integer('Seconds since it met the newest block.')),
  index: optional(
    words(
      ['building', 'missing'],
      'The index of transactions, where no node that answers has a complete one: nothing is read.',
    ),
  ),
  locked: optional(only(true, 'The wallet is locked.')),
  payment: optional(only('down')),
  setAside: optional(integer('Records that could not be processed and are tried again.')),
  stopped: optional(list(words(STOP_PARTS), 'What the operator, or the service itself, has stopped.')),
  incidents: optional(
    list(
      words(INCIDENT_CODES),
      '`tx_chains_full`: paid items or withdrawals wait for other transactions; `not_moved`: something paid has not moved for many blocks.',
    ),
  ),
  checkpoint: optional(only('old', 'What the page helper pins of the chain is old: make another checkpoint.')),
  status: optional(only('down')),
})
const chains = record(
  ChainHealth,
  'By blockchain. `payment` is present if it accepts no new work, `status` if no node answers or looks up every transaction, or work waits that cannot be done.',
)
const database = optional(
  words(['filling', 'full'], 'Where the database is nearly full: accounts that never paid, or all, make no new items.'),
)
const mail = optional(
  only('waits', 'Mails wait, since their provider does not accept them: nobody can sign up or reset a password.'),
)
const minute = optional(
  integer('Seconds since all jobs of the minute last ended well: above 180 they do not run, or fail.'),
)
const build = {
  version: text('The version of Hookline that runs here.'),
  commit: optional(text('The commit that was deployed.')),
}
export const Health = object({ ...build, status: only('ok'), chains, storage: only('ok'), database, minute, mail })
export const Unhealthy = object({
  ...MESSAGE.entries,
  code: only('unhealthy'),
  ...build,
  status: text(),
  chains,
  storage: text(),
  database,
  minute,
  mail,
})

const Cache = object({ bytesPerHour: count(), days: integer(undefined, { least: 1 }), admitted: count() })
export const Caches = object({ chain: Cache, ipfs: Cache })

const Built = object({ path: text(), integrity: text(), size: integer() })
export const HookHashes = object({
  url: text(),
  ...Built.entries,
  parts: list(Built),
  checkpoints: record(
    Checkpoint,
    'By blockchain, those that are pinned: docs/formats.md, "A proof that a block has a transaction".',
  ),
  frames: text('The storage host, below which `data-frames` shows sites.'),
})

/** What was stored of a CAR. */
export const ImportedCar = object({ roots: list(named('cid', text())), blocks: integer(), bytes: integer() })
/** The OP_RETURN data of one transaction. */
export const Chunk = object({ hex: text() })
