import { describe, expect, it } from 'vitest'
import { findWalletProblem } from '../../../../worker/chain/rpc/fund-methods.ts'
import type { RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'

const NO_WALLET: RpcOutcome = { error: { code: -18, message: 'No wallet is loaded.' } }
const NEED = 100_000n

const problem = (...outcomes: RpcOutcome[]) => findWalletProblem(async () => outcomes, NEED)

describe('why a wallet can take no new work', () => {
  it.each([
    ['nothing, with coins enough', { result: {} }, { result: '0.00100000' }, undefined],
    ['nothing, while it is unlocked', { result: { unlocked_until: '1800000000' } }, { result: '1.0' }, undefined],
    ['locked', { result: { unlocked_until: '0' } }, { result: '1.0' }, 'locked'],
    ['out of coins', { result: {} }, { result: '0.00099999' }, 'out of coins'],
    ['no wallet', NO_WALLET, NO_WALLET, 'no usable wallet'],
  ] as [string, RpcOutcome, RpcOutcome, string | undefined][])('%s', async (_, info, balance, reason) => {
    const found = await problem(info, balance)
    if (reason === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(reason)
  })
})
