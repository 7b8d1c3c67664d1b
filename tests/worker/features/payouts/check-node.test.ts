import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { readNodeView } from '../../../../worker/chain/rpc/block-methods.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { checkNode, isUpToDate } from '../../../../worker/features/payouts/pay/check-node.ts'
import { contextAtTip } from '../../agent-contexts.ts'
import { clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const NOW = 1_800_000_000_000
const good = { isRegtest: false, peers: 1, headers: 9, blocks: 9, blockTime: NOW / 1000 - 1_200 }

describe('a node', () => {
  it.each([
    ['with a peer and a young block is up to date', {}, 60, true],
    ['without a peer is not', { peers: 0 }, 60, false],
    ['with a header that has no block is not', { headers: 10 }, 60, false],
    ['whose newest block is older than twenty block times is not', { blockTime: NOW / 1000 - 1_201 }, 60, false],
    ['whose newest block is two hours old is, where blocks are rare', { blockTime: NOW / 1000 - 7_200 }, 600, true],
    [
      'whose newest block is older than two hours is not, where blocks are rare',
      { blockTime: NOW / 1000 - 7_201 },
      600,
      false,
    ],
    ['of regtest is, without any of that', { isRegtest: true, peers: 0, headers: 10, blockTime: 0 }, 60, true],
  ] as const)('%s', (_, view, blockSeconds, isGood) => {
    expect(isUpToDate({ ...good, ...view }, blockSeconds, NOW)).toBe(isGood)
  })
})

describe('the node of a chain', () => {
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await clear('stops')
  })

  /** The node, but for what it says of some outputs and of itself. */
  async function check({ hidden = 0, times = 2, regtest = true } = {}) {
    const { context, tip } = await contextAtTip(chain, 1, Date.now())
    const seen = await readNodeView(context.rpc, tip.hash)
    expect(seen).toMatchObject({ isRegtest: true, peers: 0, blocks: tip.height, headers: tip.height })
    let asked = 0
    const rpc: WalletRpc = async (calls, options) => {
      const outcomes = await context.rpc(calls, options)
      const isLookUp = calls[0]?.method === 'gettxout' && asked++ < times
      return outcomes.map((outcome, index) => {
        if (isLookUp && index < hidden) return { result: null }
        if (!regtest && calls[index]?.method === 'getblockchaininfo' && 'result' in outcome)
          return { result: { ...Object(outcome.result), chain: 'main' } }
        return outcome
      })
    }
    return await checkNode({ ...context, rpc }, tip)
  }

  it('is good where it has all coins of its wallet', async () => {
    expect([await check(), await list('stops', 'cause')]).toEqual(['good', []])
  })

  it('has payouts stop where its wallet lists a coin that it does not have', async () => {
    expect([await check({ hidden: 1 }), await list('stops', 'cause')]).toEqual(['stopped', ['sends']])
  })

  it('is asked again later where a coin was missing for a moment', async () => {
    expect([await check({ hidden: 1, times: 1 }), await list('stops', 'cause')]).toEqual(['behind', []])
  })

  it('is behind without a peer, but on regtest', async () => {
    expect([await check({ regtest: false }), await list('stops', 'cause')]).toEqual(['behind', []])
  })
})

it('is asked nothing in a step that signs no withdrawal for the first time', async () => {
  const { context } = await contextAtTip(chain, 1, Date.now())
  const asked: string[] = []
  const rpc: WalletRpc = async (calls, options) => {
    asked.push(...calls.map(({ method }) => method))
    return await context.rpc(calls, options)
  }
  await runStep({ ...context, rpc, numbers: chain.numbersOf('Bitcoin') })
  expect(asked).toEqual(['getblockhash', 'getblockchaininfo', 'getwalletinfo', 'listsinceblock', 'listlockunspent'])
})
