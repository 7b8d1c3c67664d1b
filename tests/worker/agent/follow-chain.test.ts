import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { followChain } from '../../../worker/agent/follow-chain.ts'
import { runStep } from '../../../worker/agent/run-step.ts'
import type { AgentContext } from '../../../worker/chain/follower/agent-context.ts'
import { selectTip } from '../../../worker/chain/follower/blocks.ts'
import { selectFailedRecords } from '../../../worker/chain/follower/failed-records.ts'
import type { RpcCall } from '../../../worker/chain/rpc/rpc-transport.ts'
import { recordPayments } from '../../../worker/features/payments/record-payments.ts'
import { contextOf } from '../agent-contexts.ts'
import { add, clear, firstRow, read, runSql } from '../rows.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()

let honest: AgentContext
beforeAll(async () => {
  honest = contextOf()
  await follow()
})

/** A node that answers one method otherwise. */
function lying(method: string, lie: (result: unknown, call: RpcCall) => unknown): AgentContext {
  const rpc: AgentContext['rpc'] = async (calls) => {
    const outcomes = await honest.rpc(calls)
    return outcomes.map((outcome, index) => {
      const call = calls[index]
      return call?.method === method && 'result' in outcome ? { result: lie(outcome.result, call) } : outcome
    })
  }
  return { ...honest, rpc }
}

/** The node, before whose first answer to a method something else happens. */
function meanwhile(method: string, act: () => Promise<unknown>): AgentContext {
  let done = false
  const rpc: AgentContext['rpc'] = async (calls) => {
    if (!done && calls[0]?.method === method) {
      done = true
      await act()
    }
    return await honest.rpc(calls)
  }
  return { ...honest, rpc }
}

async function follow(context = honest) {
  for (let step = 0; step < 20; step++) {
    const outcome = await followChain(context)
    if (outcome.state !== 'more') return outcome
  }
  throw new Error('never caught up')
}

const height = async () => (await selectTip(env.DB, 'Bitcoin'))?.height

describe('following a chain', () => {
  it('reaches the tip, however many blocks came', async () => {
    const before = (await height()) ?? 0
    chain.mine('Bitcoin', 250)
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: before + 250 } })
  })

  it('takes a few blocks in one look, and asks for 200 headers at a time', async () => {
    const before = (await height()) ?? 0
    chain.mine('Bitcoin', 200)
    expect(await followChain(honest)).toMatchObject({ state: 'current', tip: { height: before + 200 } })
    chain.mine('Bitcoin', 201)
    expect(await followChain(honest)).toEqual({ state: 'more' })
    expect(await height()).toBe(before + 400)
    expect(await followChain(honest)).toMatchObject({ state: 'current', tip: { height: before + 401 } })
  })

  it.each([
    [7, [8]],
    [8, [8, 292]],
  ])('finds where a reorganisation of %i blocks began with requests for %j hashes', async (depth, expected) => {
    const top = (await height()) ?? 0
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [top - depth + 1])])
    chain.mine('Bitcoin', depth + 1)
    const asked: number[] = []
    const counted: AgentContext['rpc'] = async (calls) => {
      if (calls.every(({ method, params }) => method === 'getblockhash' && Number(params[0]) <= top)) {
        asked.push(calls.length)
      }
      return await honest.rpc(calls)
    }
    await followChain({ ...honest, rpc: counted })
    expect(asked.slice(0, expected.length)).toEqual(expected)
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: top + 1 } })
  })

  it.each([1, 2, 6, 30])('undoes a reorganisation of %i blocks', async (depth) => {
    const top = (await height()) ?? 0
    const hash = chain.call('Bitcoin', 'getblockhash', [top - depth + 1])
    chain.call('Bitcoin', 'invalidateblock', [hash])
    chain.mine('Bitcoin', depth + 1)
    expect(await follow()).toEqual({
      state: 'current',
      tip: { height: top + 1, hash: chain.call('Bitcoin', 'getbestblockhash') },
    })
    const results = await runSql('SELECT hash FROM blocks WHERE hash = ?', hash)
    expect(results).toEqual([])
  })

  it('undoes nothing for a node that has not caught up, and decides nothing by it', async () => {
    const top = (await height()) ?? 0
    const hash = chain.call('Bitcoin', 'getbestblockhash')
    chain.call('Bitcoin', 'invalidateblock', [hash])
    expect(await follow()).toEqual({ state: 'behind', node: top - 1, ours: top })
    expect(await height()).toBe(top)
    chain.call('Bitcoin', 'reconsiderblock', [hash])
    expect(await follow()).toMatchObject({ state: 'current' })
  })

  it('decides nothing by a node that is still syncing', async () => {
    const syncing = lying('getblockchaininfo', (info) => ({ ...Object(info), initialblockdownload: true }))
    expect(await followChain(syncing)).toMatchObject({ state: 'syncing' })
  })

  it('asks nodes that disagree behind one address again after a wait, not at once: it got no higher', async () => {
    chain.mine('Bitcoin')
    const top = (await height()) ?? 0
    // One tells of the block, and the other does not have it.
    const behind: AgentContext['rpc'] = async (calls) => {
      const outcomes = await honest.rpc(calls)
      return outcomes.map((outcome, index) => {
        const above = calls[index]?.method === 'getblockhash' && Number(calls[index]?.params[0]) > top
        return above ? { error: { code: -8, message: 'Block height out of range' } } : outcome
      })
    }
    const disagreeing = { ...honest, rpc: behind }
    expect([await followChain(disagreeing), await followChain(disagreeing)]).toEqual([
      ...[{ state: 'unsettled' }, { state: 'unsettled' }],
    ])
    expect(await height()).toBe(top)
    expect((await runStep({ ...disagreeing, numbers: chain.numbersOf('Bitcoin') })).next).toBe('soon')
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: top + 1 } })
  })

  it('waits between two branches that a node tells of by turns, whatever it undoes for them', async () => {
    const top = (await height()) ?? 0
    const old = chain.call('Bitcoin', 'getbestblockhash')
    chain.call('Bitcoin', 'invalidateblock', [old])
    chain.mine('Bitcoin')
    const other = chain.call('Bitcoin', 'getbestblockhash')
    // The best block is told of by a node that is on neither: what is asked by height never is that.
    const torn = lying('getblockchaininfo', (info) => ({ ...Object(info), bestblockhash: 'e'.repeat(64) }))
    expect(await followChain(torn)).toEqual({ state: 'unsettled' })
    expect(await selectTip(env.DB, 'Bitcoin')).toEqual({ height: top, hash: other })
    expect(await followChain(torn)).toEqual({ state: 'unsettled' })
    chain.mine('Bitcoin')
    expect(await followChain(torn)).toEqual({ state: 'more' })
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: top + 1 } })
  })

  it('takes no blocks of two branches for one chain where the node changes between two answers', async () => {
    const top = (await height()) ?? 0
    chain.mine('Bitcoin')
    const old = chain.call('Bitcoin', 'getbestblockhash')
    chain.call('Bitcoin', 'invalidateblock', [old])
    chain.mine('Bitcoin', 3)
    const changing = lying('getblockhash', (hash, { params }) => (Number(params[0]) === top + 1 ? old : hash))
    await followChain(changing)
    expect(await selectTip(env.DB, 'Bitcoin')).toEqual({ height: top + 1, hash: old })
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: top + 3 } })
  })

  it('adds nothing above a block that another step has undone meanwhile, and undoes nothing of what it has added', async () => {
    const tip = await selectTip(env.DB, 'Bitcoin')
    if (!tip) throw new Error('no chain')
    chain.mine('Bitcoin')
    const forgetTip = () => runSql('DELETE FROM blocks WHERE height = ?', tip.height)
    expect(await followChain(meanwhile('getblockheader', forgetTip))).toEqual({ state: 'unsettled' })
    expect(await height()).toBe(tip.height - 1)
    await follow()
    const top = (await height()) ?? 0
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    chain.mine('Bitcoin', 2)
    const above = { height: top + 1, hash: 'f'.repeat(64) }
    expect(await followChain(meanwhile('getblockhash', () => add('blocks', above)))).toEqual({ state: 'unsettled' })
    expect(await selectTip(env.DB, 'Bitcoin')).toEqual(above)
    await runSql('DELETE FROM blocks WHERE height > ?', top)
    expect(await follow()).toMatchObject({ state: 'current', tip: { height: top + 1 } })
  })

  it('keeps 300 blocks below the newest, where the wallet was searched for what is in them', async () => {
    await runSql("UPDATE wallet_scans SET height = 1000000 WHERE blockchain = 'Bitcoin'")
    chain.mine('Bitcoin')
    await follow()
    const top = (await height()) ?? 0
    const oldest = await firstRow("SELECT MIN(height) AS height FROM blocks WHERE blockchain = 'Bitcoin'")
    expect(oldest).toEqual({ height: top - 300 })
  })

  it('takes what is in blocks that left the chain out of them: outputs, and transactions of its own', async () => {
    const top = (await height()) ?? 0
    const left = { block_height: top, block_hash: 'left' }
    const kept = { block_height: top - 1, block_hash: 'kept' }
    await add('outputs', { txid: 'left', ...left }, { txid: 'kept', ...kept })
    await add('tx_chains', { id: 1 })
    await add(
      'transactions',
      { txid: 'own', ...left, state: 'mined' },
      { txid: 'older', seq: 1, ...kept, state: 'mined' },
    )
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
    chain.mine('Bitcoin', 2)
    await follow()
    expect([await read('outputs', 'txid', 'block_height'), await read('transactions', 'txid', 'block_height')]).toEqual(
      [
        { kept: top - 1, left: null },
        { older: top - 1, own: null },
      ],
    )
    await clear('outputs', 'transactions', 'tx_chains')
  })

  it('refuses a header that is not the block it was asked for', async () => {
    const top = await height()
    chain.mine('Bitcoin')
    const liar = lying('getblockheader', (hex) => `ff${String(hex).slice(2)}`)
    await expect(followChain(liar)).rejects.toThrow('another header')
    expect(await height()).toBe(top)
    await follow()
  })

  it('stops at a chain that shares no block with the one it followed', async () => {
    const other = lying('getblockhash', () => 'e'.repeat(64))
    chain.mine('Bitcoin')
    await expect(followChain(other)).rejects.toThrow('shares none')
    await follow()
  })
})

describe('what a node says of payments', () => {
  async function creditOf(liar: AgentContext) {
    const address = String(chain.call('Bitcoin', 'getnewaddress'))
    const { scriptPubKey } = Object(chain.call('Bitcoin', 'validateaddress', [address]))
    await add('addresses', { address, script: scriptPubKey, user_id: 'user', state: 'discarded' })
    chain.pay('Bitcoin', address, '0.1')
    const outcome = await follow(liar)
    if (outcome.state !== 'current') throw new Error(outcome.state)
    await recordPayments(liar, outcome.tip)
    return await firstRow('SELECT amount, block_height AS height FROM outputs WHERE address = ?', address)
  }

  it('is not believed about confirmations, nor about amounts', async () => {
    const liar = lying('listsinceblock', (answer) => {
      const { transactions, ...rest } = Object(answer)
      const lies = { confirmations: '999', amount: '1000.0', blockhash: chain.call('Bitcoin', 'getbestblockhash') }
      return { ...rest, transactions: transactions.map((entry: object) => ({ ...entry, ...lies })) }
    })
    expect(await creditOf(liar)).toEqual({ amount: '10000000', height: null })
  })

  it('is not believed about the block: the block must hold the transaction', async () => {
    const best = chain.call('Bitcoin', 'getbestblockhash')
    const liar = lying('gettransaction', (answer) => ({ ...Object(answer), blockhash: best, confirmations: '6' }))
    expect(await creditOf(liar)).toEqual({ amount: '10000000', height: null })
  })

  it('is not believed about the list of a block, which must be the one that its header covers', async () => {
    const best = chain.call('Bitcoin', 'getbestblockhash')
    let wanted = ''
    const liar = lying('gettransaction', (answer, { params }) => {
      wanted = String(params[0])
      return { ...Object(answer), blockhash: best, confirmations: '6' }
    })
    const both = { ...liar, rpc: lyingBlock(liar, () => wanted) }
    expect(await creditOf(both)).toBeNull()
    const [aside] = await selectFailedRecords(env.DB, 'Bitcoin', 'payment')
    expect(aside).toMatchObject({ id: wanted, reason: expect.stringContaining('not that of block') })
  })

  function lyingBlock(context: AgentContext, txid: () => string): AgentContext['rpc'] {
    return async (calls) => {
      const outcomes = await context.rpc(calls)
      return outcomes.map((outcome, index) => {
        if (calls[index]?.method !== 'getblock' || !('result' in outcome)) return outcome
        const block = Object(outcome.result)
        return { result: { ...block, tx: [...block.tx, txid()] } }
      })
    }
  }
})
