import { AUDIT_ACTS } from '../../../platform/records/audit-acts.ts'
import { object, ref, type Schema } from '../operation.ts'
import { coins, seconds } from './field-schemas.ts'

/** What an operator sees. */
export const OPERATE_SCHEMAS: Record<string, Schema> = {
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
}
