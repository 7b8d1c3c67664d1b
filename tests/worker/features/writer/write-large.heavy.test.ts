import { describe, expect, it } from 'vitest'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { TX_CHAIN_VBYTES } from '../../../../worker/features/transactions/sign/tx-chain-limits.ts'
import { fetchApi } from '../../fetch-api.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const TX_CHAINS = 8
/** Unconfirmed transactions of a tx chain: 24, or as many as stay well below a block (docs/operate/nodes.md). */
const txChainLength = (blockchain: Blockchain): number =>
  Math.min(24, Math.floor(TX_CHAIN_VBYTES / CHAINS[blockchain].maxDataBytes))

const chain = useDevnet()

async function measure(api: Api, id: string, blockchain: Blockchain) {
  for (let blocks = 0; ; blocks++) {
    const item = await showItem(api, id)
    if (item.status !== '202 Accepted') return { item, blocks }
    await chain.confirm(blockchain)
  }
}

const SIZES: [Blockchain, number][] = [
  ['Bitcoin', 1_000_000],
  ['Nativecoin', 10_000_000],
]

describe('writing much', () => {
  it.each(SIZES)(
    'fills every tx chain for every block: %s, %i bytes',
    { timeout: 300_000 },
    async (blockchain, size) => {
      const { api } = await newUser()
      const content = noise(size)
      const id = await paidItem(chain, api, blockchain, content)
      const { item, blocks } = await measure(api, id, blockchain)
      // Its index is written once all of it is confirmed.
      const transactions = Number(item.transactions) - ('index' in item ? 1 : 0)
      expect(item).toMatchObject({ status: '200 OK', written: transactions, confirmed: transactions })
      const { confirmations } = CHAINS[blockchain]
      expect(blocks).toBeLessThanOrEqual(
        Math.ceil(transactions / (TX_CHAINS * txChainLength(blockchain))) + confirmations + 2,
      )
      expect(chain.refusals).toEqual([])
      const read = await fetchApi('GET', `/v0/content/${id}`)
      expect(new Uint8Array(await read.arrayBuffer())).toEqual(content)
    },
  )
})
