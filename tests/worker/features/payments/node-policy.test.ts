import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { findPolicyProblem } from '../../../../worker/chain/rpc/data-policy.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { requirePolicy } from '../../../../worker/features/payments/payment-context.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { clearMemories } from '../../clear-memories.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { askPayment, mergedItem, newUser, readAnswer } from './pay-for-items.ts'

const chain = useDevnet()

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  clearMemories()
})

describe('on a node whose policy takes less data in a transaction than is set', () => {
  it('nothing is sold, and health says what it takes', async () => {
    const { settings } = chain.devnet.node('Nativecoin')
    const { maxStandardWeight } = settings
    settings.maxStandardWeight = 400_000
    await chain.work('Nativecoin')
    const { api } = await newUser()
    const id = await mergedItem(api, 'Nativecoin')
    expect(await askPayment(api, [id], 'Nativecoin')).toMatchObject({ status: 503, code: 'node_policy' })
    const operator = callApi((await signIn('admin')).headers)
    const health = await readAnswer(await operator.send('GET', '/operate/health'))
    // 99,799 bytes of data weigh 400,000 with one input and one output of the segwit kind.
    expect(health.chains).toMatchObject({
      Nativecoin: { payment: 'down', reason: expect.stringMatching(/^the node's policy takes 99\d{3} bytes of data/) },
    })
    settings.maxStandardWeight = maxStandardWeight
    clearMemories()
    expect(await askPayment(api, [id], 'Nativecoin')).toMatchObject({ status: 402 })
  })
})

describe('what a node takes', () => {
  /** A node that takes so much data in a transaction, or knows no such call; with how often it was asked. */
  function node(most: number | undefined, reason: string) {
    const asked: number[] = []
    const rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
      calls.map(({ params: [hexes] }) => {
        const [hex] = Array.isArray(hexes) ? hexes : []
        asked.push(String(hex).length / 2)
        if (most === undefined) return { error: { code: -32601, message: 'Method not found' } }
        const refused = String(hex).length / 2 > most
        return { result: [{ allowed: false, 'reject-reason': refused ? reason : 'missing-inputs' }] }
      })
    return { rpc, asked }
  }

  it('is when to ask again: nothing is sold for ten minutes where it is too little', async () => {
    const { rpc } = node(1, 'tx-size')
    const asked = { config: readConfig(env), now: 0 }
    const refused = { status: 503, code: 'node_policy', headers: { 'Retry-After': '600' } }
    await expect(requirePolicy(asked, rpc, 'Bitcoin')).rejects.toMatchObject(refused)
  })

  it('is asked once in ten minutes, and again for another size', async () => {
    const { rpc, asked } = node(1_000, 'tx-size')
    expect(await findPolicyProblem(rpc, 'Bitcoin', 80, 0)).toBeUndefined()
    expect(await findPolicyProblem(rpc, 'Bitcoin', 80, 599_999)).toBeUndefined()
    expect(asked).toHaveLength(1)
    await findPolicyProblem(rpc, 'Bitcoin', 80, 600_000)
    await findPolicyProblem(rpc, 'Bitcoin', 81, 600_000)
    expect(asked).toHaveLength(3)
  })

  it.each(['tx-size', 'scriptpubkey', 'datacarrier'])('is found by halves where it says %s', async (reason) => {
    const { rpc, asked } = node(500, reason)
    // With 80 bytes it has 276: the most has 224 more, and two more for a longer push and length.
    expect(await findPolicyProblem(rpc, 'Bitcoin', 5_000, 0)).toMatch(/takes 29\d bytes .* MAX_DATA_BYTES is 5000$/)
    expect(asked.length).toBeLessThan(20)
  })

  it('is not known where it has no such call', async () => {
    expect(await findPolicyProblem(node(undefined, '').rpc, 'Dogecoin', 80, 0)).toBeUndefined()
  })
})
