import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { maxFeeOf } from '../../../../worker/features/transactions/sign/tx-chain-fees.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
vi.spyOn(console, 'warn').mockImplementation(() => {})

/** Of the kind that tx chains have their change at. */
const SCRIPT = `0014${'00'.repeat(20)}`

interface Row {
  tx_chain: number
  state: string
  fee: string
  vsize: number
}

async function rows(condition: string): Promise<Row[]> {
  const statement = `SELECT tx_chain, state, fee, vsize FROM transactions WHERE blockchain = 'Bitcoin' AND ${condition}`
  return (await env.DB.prepare(statement).all<Row>()).results
}

/** A published item whose block a reorganisation takes away, when its tx chain's coin was given back to the wallet. */
async function takenBack() {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Bitcoin', noise(60))
  const { address, amount, confirmations } = await askPayment(api, [id], 'Bitcoin')
  chain.pay('Bitcoin', address, amount)
  await chain.confirm('Bitcoin', Number(confirmations))
  const before = chain.call('Bitcoin', 'getbestblockhash')
  await chain.mineAndWork('Bitcoin', 4)
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  const [written] = await rows(`item_id = '${id}'`)
  const txChain = written?.tx_chain ?? -1
  const closed = `SELECT state FROM tx_chains WHERE blockchain = 'Bitcoin' AND id = ?`
  expect(await env.DB.prepare(closed).bind(txChain).first('state')).toBe('closed')
  const height = Number(Object(chain.call('Bitcoin', 'getblock', [before])).height)
  chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [height + 1])])
  const bumps = () => rows(`item_id IS NULL AND withdrawal_id IS NULL AND tx_chain = ${txChain}`)
  return { id, bumps }
}

it('a published item that a reorganisation took back pays more when blocks pass it by, within what it was quoted', async () => {
  const { id, bumps } = await takenBack()
  await chain.passBy('Bitcoin', 5)
  chain.callWallet('Bitcoin', 'devsetfeerate', [0.01])
  await chain.passBy('Bitcoin', 6)
  const [bump, ...others] = await bumps()
  expect([bump?.state, others]).toEqual(['sent', []])
  const all = [...(await rows(`item_id = '${id}'`)), ...(bump ? [bump] : [])]
  const quote = await env.DB.prepare(
    'SELECT fee_rate FROM payment_requests JOIN writes ON request_id = payment_requests.id WHERE item_id = ?',
  )
    .bind(id)
    .first<string>('fee_rate')
  const own = (await rows(`item_id = '${id}'`)).map(({ vsize }) => ({
    itemId: id,
    withdrawalId: undefined,
    seq: 0,
    fee: 0n,
    vsize,
  }))
  const fees = all.reduce((sum, { fee }) => sum + BigInt(fee), 0n)
  expect(fees).toBe(maxFeeOf(own, [{ id, feeRate: BigInt(quote ?? 0) }], 200, SCRIPT))
  chain.callWallet('Bitcoin', 'devsetfeerate')
  await chain.mineAndWork('Bitcoin', 4)
  expect((await rows(`item_id = '${id}'`)).map(({ state }) => state)).toEqual(['mined'])
})

it('and is left alone where the wallet has spent the change of it meanwhile, which the operator is shown', async () => {
  const { bumps } = await takenBack()
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const all = chain.callWallet('Bitcoin', 'getbalance')
  chain.callWallet('Bitcoin', 'sendtoaddress', [chain.call('Bitcoin', 'getnewaddress'), all, '', '', true])
  await chain.passBy('Bitcoin', 8)
  expect(await bumps()).toEqual([])
  expect(await selectFailedRecords(env.DB, 'Bitcoin')).toMatchObject([
    { kind: 'tx_chain', reason: expect.stringContaining('was spent by') },
  ])
  log.mockRestore()
})

it('and is tried again only after a wait where the wallet has no key for it', async () => {
  chain.pay('Bitcoin', chain.callWallet('Bitcoin', 'getnewaddress'), '50')
  chain.mine('Bitcoin', 6)
  const { bumps } = await takenBack()
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  chain.callWallet('Bitcoin', 'devreplacewallet')
  await chain.passBy('Bitcoin', 8)
  expect(await bumps()).toEqual([])
  const unsigned = (await selectFailedRecords(env.DB, 'Bitcoin')).filter(
    ({ reason }) => !reason.includes('was spent by'),
  )
  expect(unsigned).toMatchObject([{ kind: 'tx_chain', tries: 1 }])
  log.mockRestore()
})
