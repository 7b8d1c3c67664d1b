import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { putPayoutRecord } from '../../../../worker/features/wallet/payout-records.ts'
import { selectWithdrawalsById } from '../../../../worker/features/withdrawals/sql/withdrawals.ts'
import { settleSpent } from '../../../../worker/features/writer/settle-spent.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()

const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
const input = { ...coin, script: Uint8Array.of(0x51), sequence: 0, witness: [] }
const payout = encodeTransaction({
  ...{ version: 2, inputs: [input], lockTime: 0 },
  outputs: [{ value: 6n, script: Uint8Array.of(0x52) }],
})

/** A wallet that has the payout in a block. */
const rpc: WalletRpc = async (calls) => calls.map(() => ({ result: { hex: toHex(payout), confirmations: '3' } }))

it('a payout that the database had lost is no unknown send any more once the agent has found it', async () => {
  const txid = transactionId(payout)
  const asked = { id: 'paid', account: 'ada', address: 'x', script: '52', amount: 6n, fee: 1n, feeRate: 1n }
  const lane = { script: '51', vsize: 100, fee: 1n, changeVout: 0, changeValue: 0n }
  await putPayoutRecord(env.BUCKET, 'Bitcoin', txid, { ...asked, coin, cold: false, unsigned: undefined, lane })
  await add('withdrawals', {
    ...{ id: 'paid', amount: '6', coin_txid: coin.txid, coin_vout: 0, coin_value: '9', coin_script: '51' },
  })
  await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
  const [withdrawal] = await selectWithdrawalsById(env.DB, ['paid'])
  if (withdrawal) await settleSpent({ ...contextOf('Bitcoin', 5), rpc }, { height: 9, hash: '' }, withdrawal)
  expect(await read('sends', 'txid', 'assigned')).toEqual({ [txid]: 'withdrawal' })
})
