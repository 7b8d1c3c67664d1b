import { addressScript } from '../../devnet/address.ts'
import { Node } from '../../devnet/node.ts'
import { NODE_SETTINGS, PRESENT_NODES } from '../../devnet/node-settings.ts'
import { handleRpc } from '../../devnet/rpc/handle-rpc.ts'
import { formatAmount } from '../../protocol/amount.ts'
import { COIN } from '../../protocol/chains.ts'
import { MemoryD1 } from '../../tests/kit/in-process/memory-d1.ts'
import { memoryNumbers } from '../../tests/kit/in-process/memory-numbers.ts'
import { SimulatedBucket } from '../../tests/simulation/simulated-bucket.ts'
import { runStep } from '../../worker/agent/run-step.ts'
import type { RpcCall, RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import { acceptChunk } from '../../worker/features/items/accept-chunk.ts'
import { createItems } from '../../worker/features/items/create-items.ts'
import { mergeItem } from '../../worker/features/items/merge/merge-item.ts'
import { requestMerge } from '../../worker/features/items/merge/request-merge.ts'
import { openRequest } from '../../worker/features/payments/open-request.ts'
import { ConfigurationError, checkConfig } from '../../worker/platform/config/config.ts'

const BLOCKCHAIN = 'Bitcoin' as const
const START = 1_800_000_000_000
const BLOCK_MS = 1_000
/** Enough blocks that nothing in the oldest ones is still watched. */
const BLOCKS = 400
/** Data in one transaction. */
export const DATA_BYTES = 80
const USER = 'ada'
const VARIABLES = {
  BASE_URL: 'https://api.example',
  STORAGE_HOST: 'storage.example',
  TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
  RPC_BITCOIN: 'http://user:secret@node.test/',
  CONFIRMATIONS_BITCOIN: '2',
  MAX_DATA_BYTES_BITCOIN: String(DATA_BYTES),
  WRITER_TX_CHAINS: '2',
}

/**
 * The CPU time of this process for one step in milliseconds, without its node's work, and whether something was
 * written.
 */
export interface Step {
  ms: number
  busy: boolean
}

/**
 * The part of the service that works for one chain, in this process, with a node of its own. Two of them that receive
 * the same calls do the same, step by step.
 */
export class Service {
  readonly d1: MemoryD1
  readonly r2 = new SimulatedBucket()
  readonly numbers = memoryNumbers()
  readonly node: Node
  now = START
  #rpcMs = 0
  readonly #config

  /** @param database a file that does not exist yet */
  constructor(database: string) {
    this.d1 = new MemoryD1(database)
    const config = checkConfig(VARIABLES)
    if (config instanceof ConfigurationError) throw config
    this.#config = config
    const premine = { faucet: { count: 12, value: 1000n * COIN }, service: { count: 4, value: 100n * COIN } }
    const settings = { ...NODE_SETTINGS[BLOCKCHAIN], ...PRESENT_NODES[BLOCKCHAIN], coinbaseMaturity: 8, premine }
    this.node = new Node({ settings, now: () => this.now, seed: 'steps' })
    for (let block = 0; block < BLOCKS; block++) this.mine()
  }

  mine(): void {
    this.now += BLOCK_MS
    const script = addressScript(String(this.#call('getnewaddress', [], 'faucet')), this.node.settings.address)
    if (!script) throw new Error('the node returned no address')
    this.node.mine(script)
  }

  /** Uploads, merges and pays for an item. */
  async pay(content: Uint8Array<ArrayBuffer>): Promise<void> {
    const { d1, r2 } = this
    const storage = { ...VARIABLES, DB: d1, BUCKET: r2 }
    const merge = (id: string) => mergeItem(storage, id, () => this.now)
    const env = { ...storage, ITEM_MERGER: { getByName: () => ({ merge }) } }
    const item = { name: 'a.bin', mimetype: 'application/octet-stream', blockchain: BLOCKCHAIN, size: content.length }
    const [created] = await createItems(
      { ...this.#config, db: d1 },
      USER,
      [{ ...item, folder: undefined, at: '' }],
      this.now,
    )
    if (!created) throw new Error('no item was created')
    const body = new Request('http://api.example/', { method: 'PUT', body: content })
    await acceptChunk(env, { userId: USER, itemId: created.id, index: '0', body }, this.now)
    while ((await requestMerge(env, this.#config, USER, created.id, this.now)).state !== 'unpaid');
    const context = { db: d1, config: this.#config, rpcOf: () => this.rpc, now: this.now }
    await openRequest(context, { userId: USER, target: BLOCKCHAIN, ids: [created.id] })
    const [request] = d1.rows(`SELECT address, amount FROM payment_requests WHERE user_id = ? AND state = 'open'`, USER)
    if (!request) throw new Error('nothing is to be paid')
    const coins = formatAmount(BigInt(String(request.amount)))
    this.#call('sendtoaddress', [request.address, Number(coins)], 'faucet')
  }

  /** One step after one more block. */
  async step(): Promise<Step> {
    this.mine()
    this.#rpcMs = 0
    const began = process.cpuUsage()
    const { d1: db, r2: bucket, rpc, now, numbers } = this
    const report = await runStep({ blockchain: BLOCKCHAIN, config: this.#config, db, bucket, rpc, numbers, now })
    return { ms: cpuMs(began) - this.#rpcMs, busy: report.next === 'now' }
  }

  rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const began = process.cpuUsage()
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ id, method, params })))
    const answers: { result: unknown; error: { code: string; message: string } | null }[] = JSON.parse(
      handleRpc(this.node, body).body,
      (_key, value, context?: { source?: string }) => (typeof value === 'number' ? context?.source : value),
    )
    const outcomes = answers.map(({ result, error }) =>
      error ? { error: { code: Number(error.code), message: error.message } } : { result },
    )
    this.#rpcMs += cpuMs(began)
    return outcomes
  }

  #call(method: string, params: unknown[], wallet: string): unknown {
    const { result, error } = JSON.parse(handleRpc(this.node, JSON.stringify({ id: 0, method, params }), wallet).body)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

function cpuMs(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}
