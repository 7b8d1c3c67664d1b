import { FROM_CURSOR, Txid } from '../fields.ts'
import {
  AuditEntry,
  Consolidated,
  Consolidation,
  Credit,
  Credited,
  HeldPayOut,
  LostDeposits,
  OperateHealth,
  PaidOut,
  PaidOutQuery,
  Reconciliations,
  RecordDecision,
  Rewind,
  Rewound,
  Send,
  SendAssignment,
  Sends,
  SetAside,
  StopOrder,
  StopPath,
  Stops,
  Sweep,
  WithdrawalDecision,
  WriteOff,
  WrittenOff,
} from '../operate.ts'
import { json, operations, page } from '../operation.ts'
import { Withdrawal } from '../payment.ts'
import { optional, text } from '../schema.ts'

/** What an operator sees and does, and who did it. */
export const OPERATE_OPERATIONS = operations('Operating', {
  'GET /v0/operate/health': {
    id: 'readOperateHealth',
    summary: 'How each chain is, with amounts and reasons',
    token: 'operate',
    answers: { 200: json('Now.', OperateHealth) },
  },
  'GET /v0/operate/set-aside': {
    id: 'listSetAside',
    summary: 'What could not be processed, and stopped items',
    description: 'Everything else goes on without them. The longest waiting first.',
    token: 'operate',
    query: FROM_CURSOR,
    answers: { 200: page('At most 100.', 'records', SetAside) },
  },
  'POST /v0/operate/set-aside/{id}': {
    id: 'decideSetAside',
    summary: 'Decide about one',
    description:
      '`retry` lets it go on at once; a withdrawal that the node refused is signed and sent anew. `settle` gives what is missing of a payment request and has its items written; `credit` ends one, so that what was paid becomes balance. `close` ends a lane of transactions. All of it stands in the audit log.',
    token: 'operate',
    path: { id: text('Its name in the list.') },
    idempotent: true,
    body: RecordDecision,
    example: { action: 'retry', reason: 'The node was repaired.' },
    answers: {
      200: json('It is done; nothing is left to decide.', SetAside),
      409: 'It changed meanwhile, or is not open any more.',
    },
  },
  'POST /v0/operate/credit': {
    id: 'creditByHand',
    summary: 'Add to a balance by hand, or take away',
    description:
      'Accounts are owed no more than the wallet holds, unless `unbacked` says that this is meant. Needs a login of the last ten minutes (403 `login_again`).',
    token: 'operate',
    idempotent: 'required',
    body: Credit,
    example: {
      account: 'ada@example.com',
      blockchain: 'Bitcoin',
      amount: '0.001',
      reason: 'Sent to an address of old.',
    },
    answers: {
      200: json('It is in the ledger.', Credited),
      409: 'More than the balance would be taken away (`balance_exceeded`), or more would be owed than the wallet holds (`wallet_exceeded`, with `most`).',
    },
    refuses: [404],
  },
  'GET /v0/operate/deposit': {
    id: 'listLostDeposits',
    summary: 'List credited deposits that are in no block',
    description:
      'As after a reorganisation, at most 100 of each chain: most come back. What is `lost` can be written off.',
    token: 'operate',
    answers: { 200: json('All of them.', LostDeposits) },
  },
  'POST /v0/operate/deposit/{id}/write-off': {
    id: 'writeOffDeposit',
    summary: 'Write off a credited deposit that was spent otherwise',
    description:
      'What the balance lacks is booked as a loss; where the output comes back it is credited anew. Needs a login of the last ten minutes (403 `login_again`).',
    token: 'operate',
    path: { id: text('Chain, txid and number of the output, with hyphens between them.') },
    idempotent: true,
    body: WriteOff,
    example: { reason: 'Replaced in the reorganisation of Monday.' },
    answers: {
      200: json('It is in the ledger.', WrittenOff),
      409: 'It may still be mined (`deposit_not_lost`).',
      503: 'The node cannot be asked.',
    },
  },
  'POST /v0/operate/rewind': {
    id: 'rewindScan',
    summary: 'Search the wallet for payments again',
    description:
      'From a block of late on, or, without a height, from its beginning. Nothing is counted twice. With `acceptChain` the chain of a node is followed that shares none of the blocks that are kept, which stops everything otherwise: from the height, or from where both chains part. What was credited stays in the ledger, and is `reserved` while its transaction is in no block of the new chain.',
    token: 'operate',
    idempotent: true,
    body: Rewind,
    example: { blockchain: 'Bitcoin', reason: 'The wallet was restored from a backup.' },
    answers: {
      202: json('The next step does it.', Rewound),
      409: 'With `acceptChain`: the node is on another network (`wrong_network`), or has blocks that are followed (`nothing_to_accept`).',
    },
  },
  'GET /v0/operate/send': {
    id: 'listSends',
    summary: 'What left a wallet that the database does not know',
    description:
      'Compared each hour, and after a restore of the database. The oldest first, at most 100, each with the record of the payout that it was.',
    token: 'operate',
    answers: { 200: json('Those that nobody has assigned.', Sends) },
  },
  'POST /v0/operate/send/{txid}': {
    id: 'assignSend',
    summary: 'Say what left a wallet',
    description:
      '`withdrawal` and `sweep`: the payout that its record says, or that account and amount say. One that waits is taken for paid by it; one that the database has lost is written down and debited, and what the balance lacks is a loss. `foreign`: somebody else spent it.',
    token: 'operate',
    path: { txid: Txid },
    idempotent: true,
    body: SendAssignment,
    example: { as: 'withdrawal', reason: 'As its record says.' },
    answers: {
      200: json('As it was assigned.', Send),
      409: 'It is assigned already (`send_assigned`), its withdrawal is over (`withdrawal_ended`), or other money was moving.',
    },
    refuses: [404, 503],
  },
  'POST /v0/operate/withdrawal/{id}': {
    id: 'decideWithdrawal',
    summary: 'Approve a withdrawal that is held, or end one',
    description:
      '`approve` lets one that is above a limit be sent. `refund` gives amount and fee back; `paid_elsewhere` gives nothing back. Both are done at once where nothing was ever signed; otherwise the coin that the withdrawal is tied to is spent back to the wallet first, and its confirmations are waited for. One that is mined meanwhile is paid. The owner is told.',
    token: 'operate',
    path: { id: text('Of the withdrawal.') },
    idempotent: true,
    body: WithdrawalDecision,
    example: { act: 'refund', reason: 'The address was mistyped.' },
    answers: {
      200: json('As it is now.', Withdrawal),
      409: 'It is over (`withdrawal_ended`), not held (`withdrawal_not_held`), or ends already.',
      503: 'What was paid out of late has to be looked up first (`payouts_stopped`).',
    },
    refuses: [404],
  },
  'PUT /v0/operate/stop/{blockchain}': {
    id: 'stopChain',
    summary: 'Stop payouts or writing of a chain, or let them go on',
    description:
      'Stopped payouts and items wait, and say so; deposits, reading and what was sent already go on. Payouts stop by themselves after a difference in two comparisons, and go on with `false` here.',
    token: 'operate',
    path: StopPath.entries,
    body: StopOrder,
    example: { payouts: true, writing: false, reason: 'The wallet is being moved.' },
    answers: {
      200: json('What is stopped now.', Stops),
      409: 'Payouts are stopped since the database was restored, and some sends are not assigned (`sends_unassigned`).',
    },
    refuses: [503],
  },
  'POST /v0/operate/consolidate': {
    id: 'consolidateCoins',
    summary: 'Make one coin of many small ones',
    description: 'Of those that nothing uses. By itself it is done where they are many and fees are low.',
    token: 'operate',
    idempotent: true,
    body: Consolidation,
    example: { blockchain: 'Dogecoin', reason: 'Fees are low this weekend.' },
    answers: {
      202: json('It is signed, and sent by the next step.', Consolidated),
      409: 'There is nothing to gather (`nothing_to_gather`).',
    },
  },
  'GET /v0/operate/sweep': {
    id: 'listSweeps',
    summary: 'What was swept, and how it stands',
    description: 'Newest first, 50 a page.',
    token: 'operate',
    query: FROM_CURSOR,
    answers: { 200: page('A page.', 'withdrawals', Withdrawal) },
  },
  'POST /v0/operate/sweep': {
    id: 'sweepCoins',
    summary: "Send coins of the service's wallet to an address",
    description:
      'From coins that nothing uses, and never what is promised for fees. Sent as a withdrawal is, and like that it needs a login of the last ten minutes (403 `login_again`).',
    token: 'operate',
    idempotent: true,
    body: Sweep,
    example: {
      blockchain: 'Bitcoin',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      amount: '1.5',
      reason: 'To the wallet that is not online.',
    },
    answers: {
      202: json('The next step of the chain sends it.', PaidOut),
      409: 'So much is not free (`balance_exceeded`), or the fee is above `maxFee` (`fee_too_high`).',
    },
  },
  'GET /v0/operate/pay-out': {
    id: 'listPaidOut',
    summary: 'What an account took out, or was paid, and how it stands',
    description: 'Newest first, 50 a page.',
    token: 'operate',
    query: PaidOutQuery.entries,
    answers: { 200: page('A page.', 'withdrawals', Withdrawal) },
  },
  'POST /v0/operate/pay-out': {
    id: 'payOutHeld',
    summary: 'Pay what is held for a closed account',
    description:
      'Out of its balance, the fee included. Money may come to an account after it was closed. Needs a login of the last ten minutes (403 `login_again`).',
    token: 'operate',
    idempotent: true,
    body: HeldPayOut,
    example: {
      account: 'ada@example.com',
      blockchain: 'Bitcoin',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      amount: '0.25',
      reason: 'Asked for by mail.',
    },
    answers: {
      202: json('The next step of the chain sends it.', PaidOut),
      409: 'So much is not held (`balance_exceeded`), the account is not closed (`account_open`), or the fee is above `maxFee` (`fee_too_high`).',
    },
    refuses: [404],
  },
  'GET /v0/operate/reconciliation': {
    id: 'reconcile',
    summary: 'Compare ledger, wallet and chain, to the last unit',
    description:
      'What customers paid: as the ledger has it, as the wallet received it, and as blocks have it. Made anew for each chain whose node answers; the others show the last one. Every night it is written to the log.',
    token: 'operate',
    answers: { 200: json('Side by side.', Reconciliations) },
  },
  'GET /v0/audit': {
    id: 'readAudit',
    summary: 'Who did what',
    description:
      'What is about the account of the caller; with the permission `operate` all of it. Nothing in it is ever changed; logins and ended sessions are kept for 400 days, everything else for ever.',
    token: true,
    query: {
      account: optional(text('Only what is about this account. One of somebody else needs the permission `operate`.')),
      ...FROM_CURSOR,
    },
    answers: { 200: page('At most 50 entries, latest first.', 'entries', AuditEntry) },
  },
})
