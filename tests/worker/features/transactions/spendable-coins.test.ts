import { beforeEach, describe, expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { listFreeCoins, listFunds, readLiquidity } from '../../../../worker/features/transactions/spendable-coins.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear } from '../../rows.ts'

const NOW = 1_800_000_000_000
const SCRIPT = `0014${'ab'.repeat(20)}`
const id = (name: string) => name.padStart(64, '0')

beforeEach(() =>
  clear(
    'failed_records',
    'transaction_inputs',
    'transactions',
    'tx_chains',
    'withdrawals',
    'addresses',
    'payment_requests',
  ),
)

interface Listed {
  script?: string
  address?: string
  confirmations?: number
}

/** What an agent works with whose wallet lists these, of one unit each. */
function context(coins: Record<string, Listed>, now = NOW) {
  const list = Object.entries(coins).map(([name, { script = SCRIPT, address = 'own', confirmations = 9 }]) => ({
    ...{ txid: id(name), vout: '0', amount: '0.00000001', scriptPubKey: script, address },
    confirmations: String(confirmations),
  }))
  const rpc: WalletRpc = async (calls) => calls.map(() => ({ result: list }))
  return { ...contextOf('Bitcoin', now), rpc }
}
const names = (coins: readonly { txid: string }[]) => coins.map(({ txid }) => txid.replace(/^0+/, '')).sort()
const spendable = async (coins: Record<string, Listed>, now?: number) =>
  names((await listFunds(context(coins, now))).spendable)

describe('coins of the wallet', () => {
  it('are free that nothing of ours spends or is tied to, and that can be sized', async () => {
    const input = { blockchain: 'Bitcoin', prev_vout: 0, txid: 't' }
    await add('transaction_inputs', { ...input, prev_txid: id('5bent') })
    await add('withdrawals', { id: 'w', coin_txid: id('71ed'), coin_vout: 0 })
    expect(await spendable({ f: {}, '5bent': {}, '71ed': {}, d: { script: '6a00' } })).toEqual(['f'])
  })

  it('are left alone for a while that the wallet could not sign for', async () => {
    const retry_at = NOW + 2_000
    await add(
      'failed_records',
      { kind: 'tx_chain', id: `${id('a')}:0`, retry_at },
      { kind: 'item', id: `${id('b')}:0`, retry_at },
    )
    expect(await spendable({ a: {}, b: {} }, NOW)).toEqual(['b'])
    expect(await spendable({ a: {}, b: {} }, retry_at)).toEqual(['a', 'b'])
  })

  it('that customers have paid are spent from a hundred confirmations on, and no others wait', async () => {
    await add('addresses', { address: 'paid' }, { address: 'elsewhere', blockchain: 'Dogecoin' })
    const coins = {
      ...{ a: { address: 'paid', confirmations: 99 }, b: { address: 'paid', confirmations: 100 } },
      ...{ c: { confirmations: 99 }, d: { address: 'elsewhere' }, e: { address: 'paid', confirmations: 40 } },
    }
    const funds = await listFunds(context(coins))
    expect([names(funds.spendable), names(funds.immature), funds.blocks]).toEqual([['b', 'c', 'd'], ['a', 'e'], 1])
    expect((await listFunds(context({}))).blocks).toBeUndefined()
  })

  it('at the end of an open tx chain count once, and are not free', async () => {
    const txChain = { coin_script: SCRIPT, script: SCRIPT }
    await add('tx_chains', { ...txChain, id: 1, coin_txid: id('a') }, { ...txChain, id: 2, coin_txid: id('b') })
    await add('tx_chains', { ...txChain, id: 3, coin_txid: id('c'), state: 'closed' })
    await add('transactions', { txid: id('e'), tx_chain: 2, change_value: '7' })
    const asked = context({ a: {}, c: {}, f: {} })
    expect(names(await listFreeCoins(asked))).toEqual(['c', 'f'])
    expect(await readLiquidity(asked)).toMatchObject({ free: 3n + 7n, immature: 0n, promised: 0n })
  })

  it('are promised to withdrawals', async () => {
    await add('withdrawals', { id: 'w', amount: '5', fee: '2' })
    expect((await readLiquidity(context({}))).promised).toBe(7n)
  })
})
