import {
  common,
  FROM_CURSOR,
  idempotent,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  ref,
  refusal,
  type Schema,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'

const tags = ['Operating'] as const
const REASON: Schema = { type: 'string', minLength: 1, maxLength: 1000, description: 'Kept in the audit log.' }
const COINS_TEXT: Schema = { type: 'string', description: 'A decimal number of coins.' }
const chain = ref('Blockchain')
const security = token('operate')
const PAY_OUT = {
  blockchain: chain,
  address: { type: 'string' },
  amount: COINS_TEXT,
  maxFee: COINS_TEXT,
  reason: REASON,
}
const PAID_OUT = object({
  id: { type: 'string' },
  blockchain: chain,
  address: { type: 'string' },
  amount: { type: 'number' },
  fee: { type: 'number' },
})

export const OPERATE_PATHS: Paths = {
  '/v0/operate/health': {
    get: {
      tags,
      operationId: 'readOperateHealth',
      summary: 'How each chain is, with amounts and reasons',
      security,
      responses: {
        '200': json(
          'Now.',
          object({
            chains: { type: 'object', additionalProperties: ref('OperateChain') },
            storage: { type: 'string', enum: ['ok', 'down'] },
            gateways: object({ up: { type: 'integer' }, of: { type: 'integer' } }),
            mail: object({ waiting: { type: 'integer' } }),
            reconciledAt: { type: ['integer', 'null'], description: 'In Unix seconds.' },
            agrees: { type: ['boolean', 'null'], description: 'Whether ledger, wallet and chain agreed then.' },
            readAt: { type: 'integer' },
          }),
        ),
        ...common('401', '403'),
      },
    },
  },
  '/v0/operate/set-aside': {
    get: {
      tags,
      operationId: 'listSetAside',
      summary: 'What could not be processed, and stopped items',
      description: 'Everything else goes on without them. The longest waiting first.',
      security,
      parameters: [FROM_CURSOR],
      responses: {
        '200': page('At most 100.', 'records', 'SetAside'),
        ...common('400', '401', '403'),
      },
    },
  },
  '/v0/operate/set-aside/{id}': {
    post: idempotent({
      tags,
      operationId: 'decideSetAside',
      summary: 'Decide about one',
      description:
        '`retry` lets it go on at once; a withdrawal that the node refused is signed and sent anew. `settle` gives what is missing of a payment request and has its items written; `credit` ends one, so that what was paid becomes balance. `close` ends a lane of transactions. All of it stands in the audit log.',
      security,
      parameters: [inPath('id', 'Its name in the list.')],
      requestBody: jsonBody(
        object({ action: { type: 'string', enum: ['retry', 'settle', 'credit', 'close'] }, reason: REASON }),
        { action: 'retry', reason: 'The node was repaired.' },
      ),
      responses: {
        '200': json('It is done; nothing is left to decide.', ref('SetAside')),
        '409': refusal('It changed meanwhile, or is not open any more.'),
        ...common(...TOKEN_AND_BODY, '404'),
      },
    }),
  },
  '/v0/operate/credit': {
    post: idempotent({
      tags,
      operationId: 'creditByHand',
      summary: 'Add to a balance by hand, or take away',
      description:
        'Accounts are owed no more than the wallet holds, unless `unbacked` says that this is meant. Needs a login of the last ten minutes (403 `login_again`).',
      security,
      requestBody: jsonBody(
        object(
          {
            account: { type: 'string', description: 'Its id or email address.' },
            blockchain: chain,
            amount: { ...COINS_TEXT, description: 'A decimal number of coins; below zero to take away.' },
            unbacked: { type: 'boolean', description: 'Whether the wallet need not have it. `false` without it.' },
            reason: REASON,
          },
          ['unbacked'],
        ),
        { account: 'ada@example.com', blockchain: 'Bitcoin', amount: '0.001', reason: 'Sent to an address of old.' },
      ),
      responses: {
        '200': json(
          'It is in the ledger.',
          object({ account: { type: 'string' }, blockchain: chain, amount: COINS_TEXT }),
        ),
        '409': refusal(
          'More than the balance would be taken away (`balance_exceeded`), or more would be owed than the wallet holds (`wallet_exceeded`, with `most`).',
        ),
        ...common(...TOKEN_AND_BODY, '404'),
      },
    }),
  },
  '/v0/operate/rewind': {
    post: idempotent({
      tags,
      operationId: 'rewindScan',
      summary: 'Search the wallet for payments again',
      description:
        'From a block of late on, or, without a height, from its beginning. Nothing is counted twice. With `acceptChain` the chain of a node is followed that shares none of the blocks that are kept, which stops everything otherwise: from the height, or from where both chains part. What was credited stays in the ledger, and is `reserved` while its transaction is in no block of the new chain.',
      security,
      requestBody: jsonBody(
        object(
          {
            blockchain: chain,
            height: { type: 'integer', minimum: 0 },
            acceptChain: { type: 'boolean', default: false },
            reason: REASON,
          },
          ['height', 'acceptChain'],
        ),
        {
          blockchain: 'Bitcoin',
          reason: 'The wallet was restored from a backup.',
        },
      ),
      responses: {
        '202': json('The next step does it.', object({ blockchain: chain, height: { type: ['integer', 'null'] } })),
        ...common(...TOKEN_AND_BODY, '503'),
        '409': refusal(
          'With `acceptChain`: the node is on another network (`wrong_network`), or has blocks that are followed (`nothing_to_accept`).',
        ),
      },
    }),
  },
  '/v0/operate/consolidate': {
    post: idempotent({
      tags,
      operationId: 'consolidateCoins',
      summary: 'Make one coin of many small ones',
      description: 'Of those that nothing uses. By itself it is done where they are many and fees are low.',
      security,
      requestBody: jsonBody(object({ blockchain: chain, reason: REASON }), {
        blockchain: 'Dogecoin',
        reason: 'Fees are low this weekend.',
      }),
      responses: {
        '202': json(
          'It is signed, and sent by the next step.',
          object({
            blockchain: chain,
            coins: { type: 'integer' },
            value: { type: 'number', description: 'Of the coin that they become.' },
            fee: { type: 'number' },
          }),
        ),
        '409': refusal('There is nothing to gather (`nothing_to_gather`).'),
        ...common(...TOKEN_AND_BODY),
      },
    }),
  },
  '/v0/operate/sweep': {
    get: {
      tags,
      operationId: 'listSweeps',
      summary: 'What was swept, and how it stands',
      description: 'Newest first, 50 a page.',
      security,
      parameters: [FROM_CURSOR],
      responses: { '200': page('A page.', 'withdrawals', 'Withdrawal'), ...common('400', '401', '403') },
    },
    post: idempotent({
      tags,
      operationId: 'sweepCoins',
      summary: "Send coins of the service's wallet to an address",
      description:
        'From coins that nothing uses, and never what is promised for fees. Sent as a withdrawal is, and like that it needs a login of the last ten minutes (403 `login_again`).',
      security,
      requestBody: jsonBody(object(PAY_OUT, ['maxFee']), {
        ...{ blockchain: 'Bitcoin', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', amount: '1.5' },
        reason: 'To the wallet that is not online.',
      }),
      responses: {
        '202': json('The next step of the chain sends it.', PAID_OUT),
        '409': refusal('So much is not free (`balance_exceeded`), or the fee is above `maxFee` (`fee_too_high`).'),
        ...common(...TOKEN_AND_BODY),
      },
    }),
  },
  '/v0/operate/pay-out': {
    get: {
      tags,
      operationId: 'listPaidOut',
      summary: 'What an account took out, or was paid, and how it stands',
      description: 'Newest first, 50 a page.',
      security,
      parameters: [{ ...inQuery('account', 'Its id.'), required: true }, FROM_CURSOR],
      responses: { '200': page('A page.', 'withdrawals', 'Withdrawal'), ...common('400', '401', '403') },
    },
    post: idempotent({
      tags,
      operationId: 'payOutHeld',
      summary: 'Pay what is held for a closed account',
      description:
        'Out of its balance, the fee included. Money may come to an account after it was closed. Needs a login of the last ten minutes (403 `login_again`).',
      security,
      requestBody: jsonBody(object({ account: { type: 'string' }, ...PAY_OUT }, ['maxFee']), {
        ...{ account: 'ada@example.com', blockchain: 'Bitcoin', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
        ...{ amount: '0.25', reason: 'Asked for by mail.' },
      }),
      responses: {
        '202': json('The next step of the chain sends it.', PAID_OUT),
        '409': refusal(
          'So much is not held (`balance_exceeded`), the account is not closed (`account_open`), or the fee is above `maxFee` (`fee_too_high`).',
        ),
        ...common(...TOKEN_AND_BODY, '404'),
      },
    }),
  },
  '/v0/operate/reconciliation': {
    get: {
      tags,
      operationId: 'reconcile',
      summary: 'Compare ledger, wallet and chain, to the last unit',
      description:
        'What customers paid: as the ledger has it, as the wallet received it, and as blocks have it. Made anew for each chain whose node answers; the others show the last one. Every night it is written to the log.',
      security,
      responses: {
        '200': json('Side by side.', object({ chains: { type: 'array', items: ref('Reconciliation') } })),
        ...common('401', '403'),
      },
    },
  },
  '/v0/audit': {
    get: {
      tags,
      operationId: 'readAudit',
      summary: 'Who did what',
      description:
        'What is about the account of the caller; with the permission `operate` all of it. Nothing in it is ever changed; logins and ended sessions are kept for 400 days, everything else for ever.',
      security: token(),
      parameters: [
        inQuery('account', 'Only what is about this account. One of somebody else needs the permission `operate`.'),
        FROM_CURSOR,
      ],
      responses: {
        '200': page('At most 50 entries, latest first.', 'entries', 'AuditEntry'),
        ...common('400', '401', '403'),
      },
    },
  },
}
