import * as v from 'valibot'
import { AUDIT_ACTS } from './audit-acts.ts'
import { Blockchain, coinsText, FROM_CURSOR, MoneyChain, named, statement, Txid } from './fields.ts'
import { NewWithdrawal } from './payment.ts'
import {
  coins,
  flag,
  integer,
  list,
  nullable,
  number,
  type Output,
  object,
  optional,
  record,
  seconds,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { INCIDENT_CODES, RECORD_ACTIONS, SEND_KINDS, STOP_CAUSES, STOP_PARTS, WITHDRAWAL_ACTS } from './states.ts'

export const Stop = object({
  part: words(STOP_PARTS),
  cause: words(
    STOP_CAUSES,
    '`hand`: an operator; `restored`: the database is older than what was paid out; `difference`: two comparisons of the books differed; `records`: no record of a payout can be written.',
  ),
  reason: text(),
  since: seconds('Since when'),
})

export const OperateChain = object({
  height: nullable(integer()),
  tip: nullable(integer(), 'Age of the newest block in seconds.'),
  step: nullable(integer(), 'Seconds since the last step.'),
  locked: flag(),
  payment: words(['up', 'down']),
  setAside: integer(),
  oldestUnwritten: nullable(integer(), 'Seconds that the oldest paid item waits.'),
  usualMinutes: number(),
  waiting: integer('Paid items that are not written.'),
  free: coins('What fees can be paid from'),
  reason: nullable(text(), 'What is wrong, in a sentence.'),
  remedy: nullable(text(), 'What the operator can do.'),
  stops: list(Stop, 'What is stopped, each for every cause of it.'),
  incidents: list(
    object({ code: words(INCIDENT_CODES), reason: text(), since: seconds('Since when') }),
    'Problems to check, while they last.',
  ),
})

export const FailedRecord = object({
  id: named('failed record', text('Its name.')),
  kind: text('`stopped` is an item in `409 Conflict`, `held` a withdrawal above a limit.'),
  subject: text(),
  owner: nullable(named('account', text()), 'The account that it is of.'),
  blockchain: Blockchain,
  reason: text(),
  since: seconds('Since when it waits'),
  actions: list(words(RECORD_ACTIONS)),
})

export const Reconciliation = object({
  blockchain: Blockchain,
  ledger: coins('What customers paid, as the ledger has it, with what waits to be credited'),
  wallet: coins('What customers paid, as the wallet received it in blocks'),
  chain: coins('What customers paid, in blocks that were checked'),
  owed: coins('What the ledger owes to accounts'),
  held: coins('All that the wallet holds'),
  unassigned: coins('What left the wallet by transactions that nobody has assigned'),
  difference: coins(
    'Wallet less ledger; where these agree, chain less ledger; where all do, below zero what is not assigned',
  ),
  readAt: seconds('When they were compared'),
})

export const AuditEntry = object({
  id: text(),
  at: seconds('When it was done'),
  act: words(Object.keys(AUDIT_ACTS)),
  by: text('The account that did it; `command` for one run beside the service, `service` for the service itself.'),
  account: nullable(named('account', text()), 'The account that it is about.'),
  byEmail: optional(text('Of the account that did it; only to who may operate.')),
  accountEmail: optional(text('Of the account that it is about; only to who may operate.')),
  subject: nullable(text(), 'What it was done to, as `kind:id`.'),
  reason: nullable(text()),
  blockchain: optional(Blockchain),
  amount: optional(coins('What was moved')),
  unbacked: optional(flag('It was credited whether or not the wallet has it; absent otherwise.')),
})

export const OperateHealth = object({
  chains: record(OperateChain),
  storage: words(['ok', 'down']),
  database: object({
    bytes: integer('What the platform says.'),
    limit: integer('What D1 may hold'),
    counted: integer('Rows, as they were counted within a day or so, times the bytes of each.'),
    daysLeft: nullable(integer(), 'Until it is full at the rate of the last week; `null` where it does not grow.'),
    state: words(['ok', 'filling', 'full'], 'From 80 % on `filling`, from 95 % on `full`.'),
  }),
  gateways: object({ up: integer(), of: integer() }),
  mail: object({ waiting: integer() }),
  reconciledAt: nullable(integer(), 'In Unix seconds.'),
  agrees: nullable(flag(), 'Whether ledger, wallet and chain agreed then.'),
  readAt: integer(),
})
export const Reconciliations = object({ chains: list(Reconciliation) })

const act = { blockchain: MoneyChain, reason: v.pipe(statement(1000, 'Stored in the audit log.'), v.trim()) }
export const RecordDecision = object({
  reason: act.reason,
  action: words(RECORD_ACTIONS, undefined, `must be one of ${RECORD_ACTIONS.join(', ')}.`),
})
export const Credit = object({
  blockchain: act.blockchain,
  account: text('Its id or email address.'),
  amount: coinsText('A decimal number of coins; below zero to debit.', { signed: true }),
  unbacked: v.optional(flag('Whether the wallet need not have it. `false` without it.'), false),
  reason: act.reason,
})
export const Credited = object({ account: text(), blockchain: Blockchain, amount: text('A decimal number of coins.') })
export const WriteOff = object({ reason: act.reason })
export const LostDeposit = object({
  id: named('deposit', text('By which it is written off.')),
  blockchain: Blockchain,
  txid: Txid,
  vout: integer(),
  address: text(),
  account: text(),
  amount: coins('What was credited'),
  since: timeOrNull('Since when no mempool has it either'),
  lost: nullable(
    flag(),
    'Whether it can be written off: a conflicting transaction has replaced it permanently, or the wallet has lost it; null if the node does not report it.',
  ),
})
export const WrittenOff = object({
  id: named('deposit', text()),
  account: named('account', text()),
  blockchain: Blockchain,
  amount: coins('What was debited'),
  loss: coins('Of that, what the balance did not have, booked as a loss'),
})
export const Rewind = object({
  blockchain: act.blockchain,
  height: optional(integer(undefined, { least: 0, most: 2 ** 31 })),
  acceptChain: v.optional(flag(), false),
  reason: act.reason,
})
export const Rewound = object({ blockchain: Blockchain, height: nullable(integer()) })
export const StopPath = object({ blockchain: MoneyChain })
export const PayoutStop = object({
  payouts: flag('Whether money that leaves the wallet for others waits.'),
  writing: flag('Whether new transactions of items wait.'),
  reason: act.reason,
})
export const WithdrawalDecision = object({
  act: words(WITHDRAWAL_ACTS, undefined, `must be one of ${WITHDRAWAL_ACTS.join(', ')}.`),
  reason: act.reason,
})
export const SendAssignment = object({
  as: words(SEND_KINDS, undefined, `must be one of ${SEND_KINDS.join(', ')}.`),
  account: optional(text('Its id or email address; without it that of the record.')),
  amount: optional(coinsText('In coins; without it that of the record.')),
  reason: act.reason,
})
export type SendAssignment = Output<typeof SendAssignment>
export const Send = object({
  txid: named('send', Txid),
  blockchain: Blockchain,
  amount: coins("What it paid to others, without the network's fee"),
  since: seconds('When it was found'),
  assigned: nullable(words(SEND_KINDS)),
  loss: optional(coins('What the balance of the account lacked')),
  record: nullable(
    object({ id: text(), account: text(), address: text(), amount: number(), fee: number() }),
    'The payout that it was, if a record of it exists.',
  ),
})
export const Sends = object({ sends: list(Send) })
export const Stops = object({ blockchain: Blockchain, stops: list(Stop) })
export const Consolidation = object(act)
export const Consolidated = object({
  blockchain: Blockchain,
  coins: integer(),
  value: number('Of the coin that they become.'),
  fee: number(),
})
const paying = { ...NewWithdrawal.entries, reason: act.reason }
export const Sweep = object(paying)
export const HeldPayOut = object({ account: text(), ...paying })
export const PaidOut = object({
  id: text(),
  blockchain: Blockchain,
  address: text(),
  amount: number(),
  fee: number(),
})
export const PaidOutQuery = object({ account: named('account', text('Its id.')), ...FROM_CURSOR })
