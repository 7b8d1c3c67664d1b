import { env, runInDurableObject } from 'cloudflare:test'
import { afterAll, beforeAll, vi } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { SERVICE } from '../../devnet/premine.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { ChainAgent } from '../../worker/agent/chain-agent.ts'
import { runStep, type StepReport } from '../../worker/agent/run-step.ts'
import { agentContext } from '../../worker/chain/follower/agent-context.ts'
import { type PayoutNumbers, storedNumbers } from '../../worker/chain/follower/payout-numbers.ts'
import { walletRpc } from '../../worker/chain/rpc/wallet-rpc.ts'
import type { ChainConfig, Config } from '../../worker/platform/config/config.ts'
import { connect } from '../kit/call-devnet.ts'
import { notedStep } from './noted-step.ts'

const HOSTS: Record<string, Blockchain> = {
  'bitcoin-a.test': 'Bitcoin',
  'bitcoin-b.test': 'Bitcoin',
  'nativecoin.test': 'Nativecoin',
  'dogecoin.test': 'Dogecoin',
}

/**
 * The embedded chains behind the RPC URLs of vitest.worker.ts, for one test file. Time stands still, and agents
 * work when `work` says so; with `agents: 'awake'` both are as in production. What left the service's wallets and the
 * database does not know is assigned as foreign before the agent works, unless `sends` are `unknown`.
 */
export function useDevnet({
  agents = 'asleep',
  sends = 'assigned',
}: {
  agents?: 'asleep' | 'awake'
  sends?: 'assigned' | 'unknown'
} = {}) {
  const start = Date.now()
  let ahead = 0
  let broken = false
  let floorHidden = false
  const devnet = createDevnet({ now: () => (agents === 'awake' ? Date.now() : start) + ahead })
  const refusals: string[] = []
  const hooks = new Map<string, (params: unknown[]) => void>()
  let refusal: { method: string; error: { code: number; message: string } } | undefined

  function runHooks(request: string): void {
    for (const { method, params } of [JSON.parse(request)].flat()) {
      const hook = hooks.get(method)
      hooks.delete(method)
      hook?.(params)
    }
  }

  // What the node said to the service's transactions, where it did not take them.
  function noteRefusals(request: string, answer: string): void {
    const calls: { method?: string }[] = [JSON.parse(request)].flat()
    const answers: { error: { message: string } | null }[] = [JSON.parse(answer)].flat()
    calls.forEach(({ method }, index) => {
      const error = answers[index]?.error
      if (method === 'sendrawtransaction' && error) refusals.push(error.message)
    })
  }

  /** The answer of a node that refuses all calls of a request, where that is wanted once. */
  function refuse(request: string): Response | undefined {
    const calls: { id: unknown; method: string }[] = [JSON.parse(request)].flat()
    const [first] = calls
    const error = first && refusal?.method === first.method ? refusal.error : undefined
    if (!error) return undefined
    refusal = undefined
    return Response.json(calls.map(({ id }) => ({ id, result: null, error })))
  }

  function call(blockchain: Blockchain, method: string, params: unknown[] = [], wallet?: string): unknown {
    return connect(devnet, blockchain, wallet)(method, ...params)
  }

  /** Assigns what left the wallet, as an operator does, and has a wallet that may have more searched whole at once. */
  async function assignSends(blockchain: Blockchain): Promise<void> {
    const wallet = devnet.node(blockchain).wallets.get(SERVICE)
    const sent = [...(wallet?.transactions.values() ?? [])].flatMap(({ transaction: { txid, outputs }, debit }) => {
      const isListed = outputs.some(({ value, script }) => value > 0n && !wallet?.keyFor(script)?.change)
      return debit > 0n && isListed ? [txid] : []
    })
    await env.DB.prepare(
      `INSERT INTO sends (blockchain, txid, amount, seen_at, assigned)
       SELECT ?1, value, '0', 0, 'foreign' FROM json_each(?2)
       WHERE NOT EXISTS (SELECT 1 FROM transactions WHERE blockchain = ?1 AND txid = value)
       ON CONFLICT DO NOTHING`,
    )
      .bind(blockchain, JSON.stringify(sent))
      .run()
    await env.DB.prepare('UPDATE wallet_scans SET searched_at = 0').run()
  }

  function mine(blockchain: Blockchain, blocks = 1): void {
    call(blockchain, 'generatetoaddress', [blocks, call(blockchain, 'getnewaddress')])
  }

  beforeAll(() => {
    if (agents === 'asleep') {
      vi.spyOn(ChainAgent.prototype, 'wake').mockResolvedValue(undefined)
      vi.spyOn(Date, 'now').mockReturnValue(start)
    }
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      const { hostname, pathname } = new URL(request.url)
      const blockchain = HOSTS[hostname]
      const [, wallet] = /^\/wallet\/(.*)$/.exec(pathname) ?? []
      if (!blockchain || broken) throw new TypeError(`no node at ${request.url}`)
      const text = await request.text()
      runHooks(text)
      const refused = refuse(text)
      if (refused) return refused
      const { status, body } = devnet.handle(
        blockchain,
        text,
        wallet === undefined ? undefined : decodeURIComponent(wallet),
      )
      noteRefusals(text, body)
      return new Response(floorHidden ? body.replace(/"relayfee":[\d.]+/g, '"relayfee":0') : body, { status })
    })
  })
  afterAll(() => void vi.restoreAllMocks())

  /** What the storage of a chain's agent has: no restore of the database changes it. */
  const numbersOf = (blockchain: Blockchain) => {
    const agent = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(blockchain))
    const inside = async <T>(work: (numbers: PayoutNumbers) => Promise<T>) =>
      await runInDurableObject(agent, async (_, { storage }) => await work(storedNumbers(storage)))
    return {
      read: () => inside((numbers) => numbers.read()),
      readMark: () => inside((numbers) => numbers.readMark()),
      noteMark: (mark: string) => inside((numbers) => numbers.noteMark(mark)),
      /** A lower number, too, as one that was lost. */
      write: async (number: number) =>
        await runInDurableObject(agent, async (_, { storage }) => await storage.put('payouts', number)),
    }
  }

  async function work(
    blockchain: Blockchain,
    changes: Partial<ChainConfig> = {},
    service: Partial<Config> = {},
  ): Promise<void> {
    const context = agentContext(env, blockchain)
    if (!context) throw new Error(`no node of ${blockchain}`)
    if (sends === 'assigned') await assignSends(blockchain)
    const chains = { ...context.config.chains, [blockchain]: { ...context.config.chains[blockchain], ...changes } }
    const changed = {
      ...context,
      rpc: walletRpc(chains[blockchain]) ?? context.rpc,
      config: { ...context.config, ...service, chains },
      now: start + ahead,
      numbers: numbersOf(blockchain),
    }
    let report: StepReport = { next: 'now' }
    for (let step = 0; report.next === 'now'; step++) {
      if (step === 100) throw new Error('a hundred steps at once, and there is more to do')
      const { context: noted, twice } = notedStep(changed)
      report = await runStep(noted)
      if (twice.length > 0) throw new Error(`done twice in a row: ${twice.join(', ')}`)
    }
  }

  return {
    devnet,
    numbersOf,
    refusals,
    call,
    /** Asks the service's wallet, as its operator does. */
    callWallet: (blockchain: Blockchain, method: string, params: unknown[] = []): unknown =>
      call(blockchain, method, params, SERVICE),
    /** Sends coins, a decimal number as text, from a wallet that is not the service's. Returns the txid. */
    pay: (blockchain: Blockchain, address: unknown, coins: unknown) =>
      String(call(blockchain, 'sendtoaddress', [address, String(coins)])),
    mine,
    /** Mines blocks at once, and has the agent work after the last. */
    async confirm(blockchain: Blockchain, blocks = 1): Promise<void> {
      mine(blockchain, blocks)
      await work(blockchain)
    },
    /** Has the agent work after each of so many blocks. */
    async mineAndWork(blockchain: Blockchain, blocks = 1): Promise<void> {
      for (let block = 0; block < blocks; block++) {
        mine(blockchain)
        await work(blockchain)
      }
    },
    /** Has the agent work after each of so many blocks of a miner who takes nothing that waits. */
    async passBy(blockchain: Blockchain, blocks: number): Promise<void> {
      for (let block = 0; block < blocks; block++) {
        devnet.node(blockchain).mine(Uint8Array.of(0x51), { empty: true })
        await work(blockchain)
      }
    },
    /** Has something happen at the node just before it is next asked for `method`; it is told what with. */
    before(method: string, effect: (params: unknown[]) => void): void {
      hooks.set(method, effect)
    },
    /** Has the node refuse the next request of `method` alone, without looking at it. */
    refuseNext(method: string, error: { code: number; message: string }): void {
      refusal = { method, error }
    },
    /** Sets the clock of nodes and agents, in milliseconds ahead of the Worker's, whose alarms and tokens are real. */
    setAhead(ms: number): void {
      ahead = ms
    },
    /** Has the service's wallet say that it received all its transactions just now, as one that was down does. */
    receivedNow(blockchain: Blockchain): void {
      const node = devnet.node(blockchain)
      for (const known of node.wallets.get(SERVICE)?.transactions.values() ?? []) known.time = node.time
    },
    /** Throws a transaction out of the mempool. */
    evict(blockchain: Blockchain, txid: string): void {
      devnet.node(blockchain).evict([txid])
    },
    /** Whether nodes keep from `getnetworkinfo` what they relay. */
    hideFloor(hidden: boolean): void {
      floorHidden = hidden
    },
    /** Whether the nodes answer. */
    breakNodes(down: boolean): void {
      broken = down
    },
    /**
     * Runs the agent of a chain, it and the service configured so, until it has nothing more to do before the next block.
     * @throws {Error} where a step does twice in a row what it did, without a reason, or where steps do not come to an end.
     */
    work,
  }
}
