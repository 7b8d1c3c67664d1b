import { addressScript } from '../../devnet/address.ts'
import { Node } from '../../devnet/node.ts'
import { NODE_SETTINGS } from '../../devnet/node-settings.ts'
import { handleRpc } from '../../devnet/rpc/handle-rpc.ts'
import { formatAmount } from '../../protocol/amount.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { type Blockchain, COIN } from '../../protocol/chains.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { NodeError, type RpcCall, type RpcOutcome } from '../../worker/chain/rpc-transport.ts'
import { RpcError } from '../../worker/chain/wallet-rpc.ts'
import { runStep } from '../../worker/chain-agent/run-step.ts'
import { type Config, ConfigurationError, checkConfig, type Variable } from '../../worker/config/config.ts'
import { AppError } from '../../worker/http/errors.ts'
import { MemoryD1 } from './memory-d1.ts'
import { MemoryR2 } from './memory-r2.ts'
import { Random } from './random.ts'
import { Stage } from './stage.ts'

const START = 1_800_000_000_000
const database = new MemoryD1()

/** A payment somebody made: the faucet's coin it spends, so that another can take its place. */
interface Payment {
  txid: string
  coin: { txid: string; vout: number; amount: string }
}

/** One simulated service with its chain, its users' wallet, and a clock. */
export class World {
  static d1 = (): MemoryD1 => database
  readonly random: Random
  readonly stage: Stage
  readonly blockchain: Blockchain
  readonly node: Node
  readonly d1 = database
  readonly r2 = new MemoryR2()
  readonly config: Config
  readonly variables: Partial<Record<Variable, string>>
  readonly payments: Payment[] = []
  /** Outpoints that transactions sent by the service spend, as the node took them. */
  readonly spenders = new Map<string, string>()
  readonly problems: string[] = []
  now = START

  constructor(seed: number) {
    this.random = new Random(seed)
    this.stage = new Stage(this.random)
    this.blockchain = this.random.pick(['Bitcoin', 'Bitcoin', 'Dogecoin', 'Nativecoin'] as const) ?? 'Bitcoin'
    const settings = NODE_SETTINGS[this.blockchain]
    const service = { count: this.random.integer(1, 6), value: 10n * COIN * BigInt(this.random.integer(1, 100)) }
    this.node = new Node({
      settings: {
        ...settings,
        coinbaseMaturity: 8,
        premine: { faucet: { count: 12, value: 1000n * COIN }, service },
      },
      now: () => this.now,
      seed: 'simulation',
    })
    this.mine(6)
    this.d1.reset()
    this.d1.invocation = () => this.stage.task
    this.d1.around = (name, effect) =>
      this.stage.effect(name, () => new Error(`D1_ERROR: Network connection lost. (${name})`), effect)
    this.r2.around = (name, effect) => this.stage.effect(name, () => new Error(`put: failed (${name})`), effect)
    const suffix = this.blockchain.toUpperCase()
    this.variables = {
      BASE_URL: 'https://api.example',
      STORAGE_HOST: 'storage.example',
      TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
      [`RPC_${suffix}`]: 'http://user:secret@node.test/',
      [`CONFIRMATIONS_${suffix}`]: String(this.random.integer(1, 3)),
      [`MAX_DATA_BYTES_${suffix}`]: String(this.random.integer(8, 80)),
      WRITER_LANES: String(this.random.integer(1, 4)),
    }
    const config = checkConfig(this.variables)
    if (config instanceof ConfigurationError) throw config
    this.config = config
  }

  /** The service's way to its node. */
  rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const name = `RPC ${[...new Set(calls.map(({ method }) => method))].join()}`
    return await this.stage.effect(
      name,
      () => new NodeError('silent', `The node did not answer. (${name})`),
      () => {
        const body = JSON.stringify(calls.map(({ method, params }, id) => ({ id, method, params })))
        const answers: { result: unknown; error: { code: string; message: string } | null }[] = JSON.parse(
          handleRpc(this.node, body).body,
          (_key, value, context?: { source?: string }) => (typeof value === 'number' ? context?.source : value),
        )
        return answers.map(({ result, error }, index) => {
          const call = calls[index]
          if (error) return { error: { code: Number(error.code), message: error.message } }
          if (call?.method === 'sendrawtransaction') this.#noteSent(String(call.params[0]))
          return { result }
        })
      },
    )
  }

  #noteSent(hex: string): void {
    const transaction = decodeTransaction(fromHex(hex) ?? new Uint8Array(0))
    const txid = transactionId(encodeTransaction(transaction, { witness: false }))
    for (const input of transaction.inputs) {
      const point = `${input.txid}:${input.vout}`
      const other = this.spenders.get(point)
      if (other !== undefined && other !== txid) this.problems.push(`${txid} and ${other} both spend ${point}`)
      this.spenders.set(point, txid)
    }
  }

  /** Asks the node as its operator or a user's wallet would, without faults. @throws {Error} */
  call(method: string, params: unknown[], wallet?: string): unknown {
    const { result, error } = JSON.parse(handleRpc(this.node, JSON.stringify({ id: 0, method, params }), wallet).body)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  /** Runs agent steps until there is nothing more to do at once; an error ends it as the alarm's catch would. */
  async alarm(): Promise<void> {
    const faults = this.stage.faults
    try {
      for (let step = 0; step < 12; step++) {
        const { blockchain, config, d1: db, r2: bucket, rpc, now } = this
        if ((await runStep({ blockchain, config, db, bucket, rpc, now })).next !== 'now') return
      }
    } catch (error) {
      this.#accept(error, this.stage.faults > faults)
    }
  }

  /** What a caller of the API meets: refusals, and 5xx only where something failed. */
  async request(work: () => Promise<unknown>): Promise<void> {
    const faults = this.stage.faults
    try {
      await work()
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return
      this.#accept(error, this.stage.faults > faults)
    }
  }

  #accept(error: unknown, faulty: boolean): void {
    // The chain may change between two calls to the node: what it then says fits nothing, and is asked again.
    const moved = this.stage.eventRate > 0 && (error instanceof NodeError || error instanceof RpcError)
    if (faulty || moved || (error instanceof AppError && moved)) return
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined
    if (this.stage.eventRate > 0 && (cause instanceof NodeError || cause instanceof RpcError)) return
    this.problems.push(`failed without a fault: ${error instanceof Error ? error.stack : error}`)
  }

  mine(blocks = 1, { empty = false } = {}): void {
    const address = String(this.call('getnewaddress', [], 'faucet'))
    const script = addressScript(address, this.node.settings.address)
    for (let i = 0; i < blocks && script; i++) {
      this.now += 1000
      this.node.mine(script, { empty })
    }
  }

  /** Takes the last `depth` blocks off, loses some of their transactions, and mines one block more. */
  reorganise(depth: number): void {
    const block = this.node.chain.active[this.node.chain.height - depth + 1]
    if (!block || block.height < 11) return
    this.stage.log.push(`reorganisation of ${depth}`)
    this.node.invalidate(block)
    const lost = [...this.node.mempool.entries.keys()].filter(() => this.random.chance(0.2))
    this.node.evict(lost)
    if (this.random.chance(0.3)) this.replacePayment()
    this.mine(this.random.integer(1, depth + 2), { empty: this.random.chance(0.3) })
  }

  evictSome(): void {
    const txids = [...this.node.mempool.entries.keys()]
    const txid = this.random.pick(txids)
    if (txid !== undefined) this.node.evict([txid])
  }

  /** Pays from somebody's wallet. */
  pay(address: string, amount: bigint): void {
    const coin = this.#faucetCoin()
    if (!coin || amount <= 0n) return
    const txid = this.#spend(coin, { [address]: formatAmount(amount) }, 1n)
    if (txid !== undefined) this.payments.push({ txid, coin })
  }

  /** Another transaction takes a payment's place, and pays the payer: it wins where the payment is not mined. */
  replacePayment(): void {
    const payment = this.random.pick(this.payments.filter(({ txid }) => !this.node.chain.confirmed.has(txid)))
    if (!payment) return
    this.stage.log.push(`replaces ${payment.txid}`)
    this.#spend(payment.coin, {}, 100n)
  }

  #faucetCoin(): Payment['coin'] | undefined {
    const coins = this.call('listunspent', [1], 'faucet')
    if (!Array.isArray(coins)) return undefined
    const coin = this.random.pick(coins.filter(({ amount }) => amount > 100))
    return coin && { txid: coin.txid, vout: coin.vout, amount: String(coin.amount) }
  }

  #spend(coin: Payment['coin'], outputs: Record<string, string>, feeFactor: bigint): string | undefined {
    const paid = Object.values(outputs).reduce((sum, coins) => sum + toUnits(coins), 0n)
    const fee = (this.node.settings.walletFeeRate / 2n + 1000n) * feeFactor
    const back = String(this.call('getnewaddress', [], 'faucet'))
    const change = formatAmount(toUnits(coin.amount) - paid - fee)
    const inputs = [{ txid: coin.txid, vout: coin.vout, sequence: 0xffff_fffd }]
    const raw = this.call('createrawtransaction', [inputs, { ...outputs, [back]: change }])
    const sign = this.node.settings.dialect === 'core' ? 'signrawtransactionwithwallet' : 'signrawtransaction'
    const signed = this.call(sign, [raw], 'faucet')
    const hex = signed && typeof signed === 'object' && 'hex' in signed ? signed.hex : undefined
    try {
      return String(this.call('sendrawtransaction', [hex]))
    } catch {
      return undefined
    }
  }
}

function toUnits(coins: string): bigint {
  const [whole = '0', fraction = ''] = coins.split('.')
  return BigInt(whole) * COIN + BigInt(fraction.padEnd(8, '0'))
}
