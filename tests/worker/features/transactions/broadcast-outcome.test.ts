import { describe, expect, it } from 'vitest'
import { readBroadcastOutcome } from '../../../../worker/features/transactions/sign/broadcast-outcome.ts'

/** What Bitcoin Core 25 to 31 and Dogecoin Core 1.14 answer to `sendrawtransaction`. */
const ANSWERS = [
  [-27, 'Transaction outputs already in utxo set', 'mined'],
  [-27, 'transaction already in block chain', 'mined'],
  [-25, 'bad-txns-inputs-missingorspent', 'missing'],
  [-25, 'Missing inputs', 'missing'],
  [-26, 'txn-already-in-mempool', 'taken'],
  [-26, '18: txn-already-in-mempool', 'taken'],
  [-26, 'txn-already-known', 'mined'],
  [-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]', 'full'],
  [-26, '64: too-long-mempool-chain', 'full'],
  [-26, 'too-large-cluster', 'full'],
  [-26, 'too-long-mempool-chain, exceeds descendant size limit for tx 00 [limit: 101000]', 'full'],
  [-26, 'min relay fee not met, 100 < 1000', 'cheap'],
  [-26, 'mempool min fee not met, 100 < 1000', 'cheap'],
  [-26, '66: insufficient priority', 'cheap'],
  [-26, '66: min relay fee not met', 'cheap'],
  [-26, 'mempool full', 'cheap'],
  [-26, 'txn-mempool-conflict', 'conflict'],
  [-26, '18: txn-mempool-conflict', 'conflict'],
  [-26, 'insufficient fee, rejecting replacement 00; new feerate 1 <= old feerate 2', 'conflict'],
  [-26, 'scriptpubkey', 'refused'],
  [-26, 'datacarrier', 'refused'],
  [-26, 'tx-size', 'refused'],
  [-26, '64: multi-op-return', 'refused'],
  [-26, 'dust', 'refused'],
  [-26, 'mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)', 'refused'],
  [-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'refused'],
  [-22, 'TX decode failed. Make sure the tx has at least one input.', 'refused'],
  [-1, 'something new', 'unknown'],
  [-32603, 'Internal error', 'unknown'],
] as const

describe('what a node says to a transaction', () => {
  it('is taken when it gives the txid', () => {
    expect(readBroadcastOutcome({ result: 'f'.repeat(64) })).toBe('taken')
  })

  it.each(ANSWERS)('%i "%s": %s', (code, message, outcome) => {
    expect(readBroadcastOutcome({ error: { code, message } })).toBe(outcome)
  })
})
