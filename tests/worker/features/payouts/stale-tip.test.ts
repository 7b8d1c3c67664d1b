import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../../worker/chain/follower/blocks.ts'
import { endWithdrawals } from '../../../../worker/features/payouts/end/end-withdrawals.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { add, clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
/** What spends a coin back to the wallet has to be as deep. */
const DEPTH = 6
const NOW = 1_800_000_000_000

let context: AgentContext
let tip: BlockPosition
beforeAll(async () => {
  ;({ context, tip } = await contextAtTip(chain, DEPTH, NOW))
})
const TABLES = ['withdrawals', 'transactions', 'tx_chains', 'ledger']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

describe('the end of a withdrawal whose coin is back in the wallet, deep enough', () => {
  it.each([
    ['refunded', ['0', '1', '701', '701']],
    ['paid_elsewhere', ['0', '1', '701']],
  ])('fails on a tip that another step has replaced, and is made on the one of now: %s', async (ending, balances) => {
    const [deposit, amount, fee] = ['701', '-700', '-1']
    await add('ledger', { seq: 1, amount: deposit, balance: '701', cause: 'output:o:0' })
    await add('ledger', { seq: 2, amount, balance: '1', cause: 'withdrawal:w' })
    await add('ledger', { seq: 3, amount: fee, balance: '0', cause: 'withdrawal-fee:w' })
    await add('tx_chains', { id: 1, state: 'closed' })
    await add('transactions', { txid: '1'.repeat(64), state: 'mined', block_height: tip.height - DEPTH + 1 })
    const tied = { coin_txid: '2'.repeat(64), coin_vout: 0, coin_value: '1000', coin_script: '' }
    await add('withdrawals', { id: 'w', amount: '700', state: 'sent', ending, back_tx_chain: 1, ...tied })
    await endWithdrawals(context, { height: tip.height, hash: 'f'.repeat(64) })
    expect(await list('withdrawals', 'state')).toEqual(['sent'])
    expect(await list('ledger', 'amount')).toEqual([fee, amount, deposit])
    await endWithdrawals(context, tip)
    expect(await list('withdrawals', 'state')).toEqual([ending])
    expect(await list('ledger', 'balance')).toEqual(balances)
  })
})
