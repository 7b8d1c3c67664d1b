import { addressScript } from '../../devnet/address.ts'
import type { Block } from '../../devnet/chain.ts'
import type { LedgerTransaction } from '../../devnet/ledger-transaction.ts'
import { Node } from '../../devnet/node.ts'
import { NODE_SETTINGS, type NodeSettings, PRESENT_NODES } from '../../devnet/node-settings.ts'
import { readAnswer } from '../../devnet/rpc/exact-json.ts'
import { callMethod } from '../../devnet/rpc/handle-rpc.ts'
import { RpcError as NodeRpcError } from '../../devnet/rpc/rpc-error.ts'
import type { Wallet } from '../../devnet/wallet.ts'
import { formatAmount } from '../../protocol/amount.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { type Blockchain, COIN } from '../../protocol/chains.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { runStep } from '../../worker/agent/run-step.ts'
import type { PayoutNumbers } from '../../worker/chain/follower/payout-numbers.ts'
import { NodeError, type RpcCall, type RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import { RpcError } from '../../worker/chain/rpc/wallet-rpc.ts'
import type { PaymentContext } from '../../worker/features/payments/payment-context.ts'
import type { EndingContext } from '../../worker/features/withdrawals/end-withdrawal.ts'
import { noticeRestore } from '../../worker/features/withdrawals/notice-restore.ts'
import { type Config, ConfigurationError, checkConfig, type Variable } from '../../worker/platform/config/config.ts'
import { AppError } from '../../worker/platform/http/errors.ts'
import { type Asked, MemoryD1 } from '../kit/in-process/memory-d1.ts'
import { MoveWatch } from './check-moves.ts'
import { noteLogged } from './note-done.ts'
import { Random } from './random.ts'
import { Repeats } from './repeats.ts'
import { SimulatedBucket } from './simulated-bucket.ts'
import { Stage } from './stage.ts'

export const USERS = ['ada', 'bob']
export const FAULT_RATE = 0.02
/** How often two steps of a chain run at once. */
const TWO_AT_ONCE = 0.2
const START = 1_800_000_000_000
/** The statement with which a step of the agent ends; its third value is the block that it ended at. */
const STEP_ENDED = 'INSERT INTO chain_states (blockchain, stepped_at, tip_hash'
/** Where the object of a chain stores how many payouts were begun. */
const PAYOUTS = 'payouts'
const database = new MemoryD1()

/** Weather in which nothing is sold at times: a wallet that is locked or empty, a chain that is stopped, another that is always faster. */
const MAY_REFUSE = [
  ...['wallet-weather', 'wallet-copy', 'young-funding', 'operator-acts', 'customer-acts', 'restored-database'],
  ...['payer-habits', 'long-spike', 'lost-deposits'],
]

/** A payment somebody made: the faucet's coin it spends, so that another can take its place; `at` is the node's time or the
 * service's, whichever is later: where the two differ a request may have expired before; then it is no earlier than that. */
export interface Payment {
  txid: string
  address: string
  amount: bigint
  at: number
  coin: { txid: string; vout: number; amount: string }
  /** Whether it is the reward of a block. */
  isReward?: boolean
}

/**
 * A part of the weather that a service meets. `settings` are what its operator has set, `begin` prepares the world, `happen`
 * is one event, at any await of the service, `turn` comes after each turn, `answer` takes the place of the node's for one call, and
 * `calm` ends what is still going on: money must then find its way.
 */
export interface Model {
  /** Whether it is about what is written: about half of the seeds have none such, and take less time. */
  hard?: boolean
  /** Whether it is about money that comes and goes: only seeds with withdrawals have it. */
  money?: boolean
  settings?(random: Random, suffix: string): Partial<Record<Variable, string>>
  begin?(world: World): void
  happen(world: World): void
  turn?(world: World): void
  /** What users and operators do in a turn, while all else is at work. */
  acts?(world: World): (() => Promise<void>)[]
  /** What comes when faults have ended and all is calm, before the world has to come to rest. */
  end?(world: World): Promise<void>
  answer?(world: World, call: RpcCall): RpcOutcome | undefined
  calm?(world: World): void
}

/** An item that a user has uploaded. */
export interface UploadedItem {
  id: string
  userId: string
}

/** A withdrawal as it was first seen in the database; `script` in hex. */
export interface AskedPayout {
  id: string
  userId: string
  script: string
  amount: bigint
}

/** The Durable Object of the chain, as far as the world turns it. */
interface Agent {
  run(): Promise<void>
  runAnother(): Promise<void>
  wake(): Promise<void>
}

/** As what withdrawals end without a transaction: what was signed for one may not come any more. */
const ENDED = new Set(['cancelled', 'refunded', 'paid_elsewhere'])
/** Steps of one alarm: blocks of a whole spike may have passed the service by. */
const MOST_STEPS = 40
/** Less than in the service, whose blocks are not mined by the hundred here, and more than a reorganisation takes off at once. */
export const FOLD_BLOCKS = 8

/** A response to the service, as far as it reads one of a node: the platform's takes longer to make than all that is in it. */
class NodeAnswer {
  readonly status = 200
  readonly headers: ReadonlyMap<string, string>
  readonly body: AsyncIterable<Uint8Array>
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(text: string) {
    const bytes = new Uint8Array(new TextEncoder().encode(text))
    this.#bytes = bytes
    this.headers = new Map([['Content-Length', String(bytes.length)]])
    this.body = {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    }
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.buffer
  }
}

/** One simulated service with its chain, its users' wallet, and a clock. */
export class World {
  static d1 = (): MemoryD1 => database
  readonly random: Random
  readonly stage: Stage
  readonly blockchain: Blockchain
  readonly node: Node
  readonly d1 = database
  readonly r2 = new SimulatedBucket()
  readonly config: Config
  readonly variables: Partial<Record<Variable, string>>
  readonly payments: Payment[] = []
  /** What an operator put into the service's wallet. */
  readonly fundings: Pick<Payment, 'txid' | 'coin'>[] = []
  /** Outpoints that transactions sent by the service spend, as the node took them. */
  readonly spenders = new Map<string, string>()
  /** All that the service sent and the node took. */
  readonly sent = new Set<string>()
  readonly problems: string[] = []
  /** What users have uploaded. */
  items: readonly UploadedItem[] = []
  /** Every withdrawal that the database ever had. */
  readonly asked = new Map<string, AskedPayout>()
  /** Every address that was ever given out, by its script. */
  readonly given = new Map<string, Record<string, unknown>>()
  /** How withdrawals ended that were not paid by a transaction, whether or not the database still knows. */
  readonly ended = new Map<string, string>()
  /** Withdrawals and transactions that a restore of the database has lost. */
  readonly lostWithdrawals = new Set<string>()
  readonly lostTransactions = new Set<string>()
  /** Moments that the database may be taken back to, and how often it was. */
  readonly moments: number[] = []
  restores = 0
  /** API keys with the most that each may pay from the balance on a day, and what was paid by one, by its cause. */
  readonly keys = new Map<string, { userId: string; limit: bigint }>()
  readonly paidByKey = new Map<string, string>()
  readonly #keyOfTask = new WeakMap<object, string>()
  readonly #moves = new MoveWatch(this)
  /** How often two steps of the chain run at once. */
  twoAtOnce = TWO_AT_ONCE
  /** What is wrong at the moment at which a step of the agent has ended well, at the block of this hash. */
  onStepEnded: (tipHash: string) => string[] = () => []
  /** The weather of this seed. */
  readonly models: ReadonlyMap<string, Model>
  /** How the node was set up at first. */
  readonly usual: NodeSettings
  /** What took coins out of the service's wallet that the service did not send. */
  readonly sweeps = new Set<string>()
  /** The deepest that a transaction ever was on the best chain. */
  readonly depths = new Map<string, number>()
  readonly #seen = new Map<string, LedgerTransaction>()
  readonly #repeats = new WeakMap<object, Repeats>()
  /** What the Durable Object has stored: it outlives its memory, and no restore of the database changes it. */
  readonly stored = new Map<string, unknown>()
  /** The Durable Object, where its model is on. */
  agent: Agent | undefined
  /** Blocks that the second node has not seen; 0 where there is none. */
  staleBy = 0
  /** Payments that no miner takes for now. */
  readonly withheld = new Set<string>()
  /** Turns for which blocks still pass by what the service sent. */
  passedByFor = 0
  /** What the mempool asks for even when a block has come, base units per 1,000 vbytes. */
  mempoolFloor = 0n
  /** Milliseconds that the service's clock is ahead of the node's. */
  skew = 0
  /** Calls of the next batch that are done before the node stops. */
  cutBatchAfter: number | undefined
  /** Height from which the wallet has forgotten its transactions. */
  rescanFrom: number | undefined
  /** Payments that the wallet forgot while the database had none of them: nobody can tell when they came. */
  readonly unheard = new Set<string>()
  /** Transactions that the wallet forgot at any time: until it is searched, steps know only what they wrote down before. */
  readonly forgotten = new Set<string>()
  /** What each item's transactions must hold together, by item id. */
  readonly expected = new Map<string, Uint8Array>()
  /** Items with the txids that they were published with, whose content was looked at. */
  readonly held = new Set<string>()
  /** Blocks whose transactions of ours were held against the books. */
  readonly audited = new WeakSet<Block>()
  /** Whether two alarms run at once: one may then see and note what the other is about to. */
  overlapping = false
  /** How often an invariant of a step was asked of something that it could have been broken for, by its name. */
  readonly checked = new Map<string, number>()
  /** How often the service did something that few seeds have it do, by its name. */
  readonly done = new Map<string, number>()
  /** Tasks that wrote to the ledger in one run of the stage. */
  readonly #movers = { run: 0, tasks: new Set<object | undefined>() }
  /** The wallet whose place another one took. */
  replaced: Wallet | undefined
  /** Every wallet that the service's node ever had. */
  readonly ownWallets = new Set<Wallet>()
  now = START

  /** About half of the models that may come take part in a seed. */
  constructor(seed: number, models: ReadonlyMap<string, Model>) {
    this.random = new Random(seed)
    this.stage = new Stage(this.random)
    this.blockchain = this.random.pick(['Bitcoin', 'Bitcoin', 'Dogecoin', 'Nativecoin'] as const) ?? 'Bitcoin'
    const present = this.blockchain === 'Dogecoin' ? {} : PRESENT_NODES[this.blockchain]
    const settings = { ...NODE_SETTINGS[this.blockchain], ...(this.random.chance(0.5) ? present : {}) }
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
    this.usual = this.node.settings
    this.mine(6)
    this.d1.reset()
    this.d1.invocation = () => undefined
    this.d1.around = (name, effect, asked) =>
      this.#effect(name, () => new Error(`D1_ERROR: Network connection lost. (${name})`), effect, asked)
    this.r2.around = (name, effect, asked) =>
      this.#effect(name, () => new Error(`put: failed (${name})`), effect, asked)
    for (const user of USERS) {
      this.d1.rows(
        `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at) VALUES (?1, ?1 || '@example.org', '', ?1, '', 1, 0)`,
        user,
      )
    }
    this.d1.onExecuted = (sql, values) => this.#watch(sql, values)
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
    const chosen = [...models].filter(() => this.random.chance(0.5))
    const spared = chosen.some(([, { hard }]) => hard) && this.random.chance(0.4)
    this.models = new Map(spared ? chosen.filter(([, { hard }]) => !hard) : chosen)
    for (const model of this.models.values()) Object.assign(this.variables, model.settings?.(this.random, suffix))
    const config = checkConfig(this.variables)
    if (config instanceof ConfigurationError) throw config
    this.config = { ...config, foldBlocks: FOLD_BLOCKS }
    for (const model of this.models.values()) model.begin?.(this)
  }

  /** Notes who moves money, and asks what has to be true where a step has ended. */
  #watch(sql: string, values: readonly unknown[]): void {
    const { runs, task } = this.stage
    if (this.#movers.run !== runs) {
      this.#movers.run = runs
      this.#movers.tasks.clear()
    }
    if (sql.startsWith('INSERT INTO ledger ')) {
      this.#movers.tasks.add(task)
      this.#notePaidByKey(task, String(values[3]))
      this.#moves.onExecuted(sql, values)
    }
    if (!sql.startsWith(STEP_ENDED) || this.overlapping) return
    // What another task moved while the step was at it made the step leave it to the next.
    const moved = [...this.#movers.tasks].some((mover) => mover !== task)
    if (!moved) this.problems.push(...this.onStepEnded(String(values[2])))
  }

  /** What is wrong of money that has moved since the last time. */
  takeMoveProblems(): string[] {
    return this.#moves.takeProblems()
  }

  /** The API key that a request of a user is made with, where that has one, as the task that runs now. */
  useKey(userId: string): { id: string; spending: { [chain in Blockchain]?: bigint } } | undefined {
    const { random, keys, blockchain, stage } = this
    if (stage.task) this.#keyOfTask.delete(stage.task)
    const [found] = [...keys].filter(([, key]) => key.userId === userId)
    if (!found || !stage.task || random.chance(0.3)) return undefined
    const [id, { limit }] = found
    this.#keyOfTask.set(stage.task, id)
    return { id, spending: { [blockchain]: limit } }
  }

  #notePaidByKey(task: object | undefined, moves: string): void {
    const key = task && this.#keyOfTask.get(task)
    for (const { cause } of JSON.parse(moves)) {
      // What a key could not pay another task may.
      if (key === undefined) this.paidByKey.delete(cause)
      else this.paidByKey.set(cause, key)
    }
  }

  /** Notes what withdrawals and addresses there are. */
  noteAsked(): void {
    for (const row of this.d1.rows('SELECT * FROM addresses')) this.given.set(String(row.script), row)

    const rows = this.d1.rows('SELECT id, user_id, script, amount, state FROM withdrawals')
    for (const { id, user_id, script, amount, state } of rows) {
      if (ENDED.has(String(state))) this.ended.set(String(id), String(state))
      const asked = { id: String(id), userId: String(user_id), script: String(script), amount: BigInt(String(amount)) }
      if (!this.asked.has(asked.id)) this.asked.set(asked.id, asked)
    }
  }

  /** The agent's number of payouts, in the storage of its object. */
  readonly numbers: PayoutNumbers = {
    read: async () => Number(this.stored.get(PAYOUTS) ?? 0),
    write: async (number) => void this.stored.set(PAYOUTS, number),
  }

  /** What calls of the API work with. */
  get context(): PaymentContext {
    return { db: this.d1, config: this.config, rpcOf: () => this.rpc, now: this.serviceNow() }
  }

  /** What withdrawals are ended with. */
  get ending(): EndingContext {
    const { d1: db, r2: bucket, blockchain, numbers } = this
    const context = { db, bucket, now: this.serviceNow() }
    return { ...context, storeNumber: async () => void (await noticeRestore(context, blockchain, numbers)) }
  }

  /** Counts that an invariant was asked. */
  count(invariant: string): void {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1)
  }

  /** Counts what the service did. */
  did(what: string, times = 1): void {
    if (times > 0) this.done.set(what, (this.done.get(what) ?? 0) + times)
  }

  /** A transaction that waited or is in a block, now or once. */
  transaction(txid: string): LedgerTransaction | undefined {
    return this.node.chain.confirmed.get(txid)?.transaction ?? this.#seen.get(txid)
  }

  /** What the service's clock shows. */
  serviceNow = (): number => this.now + this.skew

  /** The service's way to its node. */
  rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const name = `RPC ${[...new Set(calls.map(({ method }) => method))].join()}`
    return await this.#effect(
      name,
      () => new NodeError('timeout', `The node did not answer. (${name})`),
      () => this.#answer(calls),
      () => [JSON.stringify(calls)],
    )
  }

  /** One effect of a task; what it does twice in a row without a reason is a problem. */
  async #effect<T>(name: string, error: (name: string) => Error, effect: () => T, asked: () => Asked): Promise<T> {
    const { faults } = this.stage
    try {
      const result = await this.stage.effect(name, error, effect)
      if (this.stage.faults > faults) this.mayRepeat()
      else this.noteEffect(asked())
      return result
    } catch (problem) {
      // What is refused now may have been done just before.
      if (this.stage.faults === faults) this.noteEffect(asked())
      this.mayRepeat()
      throw problem
    }
  }

  /** What the task that runs now has done; a problem where it did the same just before, and nothing had changed. */
  noteEffect(what: Asked): void {
    const twice = this.stage.task && this.#repeats.get(this.stage.task)?.note(what)
    if (twice !== undefined) this.problems.push(`done twice in a row: ${twice}`)
  }

  /** From here on the task that runs now may do again what it did: a step or a request begins, something failed, time passed. */
  mayRepeat(): void {
    // The object runs steps as it likes.
    if (this.stage.task) this.#repeats.set(this.stage.task, new Repeats(this.agent && 'FROM chain_states'))
  }

  #answer(calls: readonly RpcCall[]): RpcOutcome[] {
    const cut = this.cutBatchAfter
    this.cutBatchAfter = undefined
    const heard = cut === undefined ? calls : calls.slice(0, cut)
    const outcomes = heard.map((call): RpcOutcome => {
      this.#checkTried(call)
      const own = this.#callNode(call)
      const other = this.#answerOfAnother(call)
      if (other) return other
      if ('result' in own) this.#noteTaken(call, own.result)
      return own
    })
    this.#watchMempool()
    const wallet = this.node.wallets.get('')
    if (wallet) this.ownWallets.add(wallet)
    if (heard.length === calls.length) return outcomes
    this.stage.faults++
    this.stage.log.push(`the node stops after ${heard.length} of ${calls.length} calls`)
    throw new NodeError('timeout', 'The node did not answer.')
  }

  #callNode({ method, params }: RpcCall): RpcOutcome {
    try {
      return { result: readAnswer(callMethod(this.node, method, params), String) }
    } catch (error) {
      if (!(error instanceof NodeRpcError)) throw error
      return { error: { code: error.code, message: error.message } }
    }
  }

  #answerOfAnother(call: RpcCall): RpcOutcome | undefined {
    for (const { answer } of this.models.values()) {
      const outcome = answer?.(this, call)
      if (outcome) return outcome
    }
    return undefined
  }

  /** What the Durable Object reaches: the node, by HTTP. */
  fetch = async (_url: string, init: RequestInit): Promise<NodeAnswer> => {
    const calls: { method: string; params: unknown[] }[] = JSON.parse(String(init.body))
    const outcomes = await this.rpc(calls)
    return new NodeAnswer(
      JSON.stringify(outcomes.map((outcome, id) => ({ id, result: null, error: null, ...outcome }))),
    )
  }

  /** Remembers what waits, so that a miner may have it after our node has thrown it out. */
  #watchMempool(): void {
    for (const [txid, { transaction }] of this.node.mempool.entries) this.#seen.set(txid, transaction)
  }

  /** What waited once, and is neither waiting nor in a block now. */
  get evicted(): LedgerTransaction[] {
    const { mempool, chain } = this.node
    return [...this.#seen.values()].filter(({ txid }) => !mempool.entries.has(txid) && !chain.confirmed.has(txid))
  }

  /** What a node is given counts as tried: it may be mined, whatever becomes of the answer. */
  #checkTried({ method, params }: RpcCall): void {
    if (method !== 'sendrawtransaction') return
    const txid = txidOf(String(params[0]))
    const [row] = this.d1.rows('SELECT attempts FROM transactions WHERE txid = ?', txid)
    if (row?.attempts === 0) this.problems.push(`${txid} was sent and does not count as tried`)
  }

  /** Notes what the service had the node take: one transaction, or a package of them. */
  #noteTaken({ method, params }: RpcCall, result: unknown): void {
    if (method === 'sendrawtransaction') this.#noteSent(String(params[0]))
    const isPackage = method === 'submitpackage' && typeof result === 'object' && result !== null
    if (!isPackage || !('package_msg' in result) || result.package_msg !== 'success') return
    this.did('a parent and its bump taken as one package')
    for (const hex of Array.isArray(params[0]) ? params[0] : []) this.#noteSent(String(hex))
  }

  #noteSent(hex: string): void {
    const txid = txidOf(hex)
    this.sent.add(txid)
    // Of another copy of the wallet, and sent again for what stands on it: its own transactions spend what the service's did.
    if (this.sweeps.has(txid)) return
    for (const input of decodeTransaction(fromHex(hex) ?? new Uint8Array(0)).inputs) {
      const point = `${input.txid}:${input.vout}`
      const other = this.spenders.get(point)
      if (other !== undefined && other !== txid && !this.#isGivenUp(other))
        this.problems.push(`${txid} and ${other} both spend ${point}`)
      this.spenders.set(point, txid)
    }
  }

  /**
   * Whether the service has another transaction take this one's place: a dearer bump, or what is made anew; or whether it is
   * one of the wallet's own that was sent again and that no node has.
   */
  #isGivenUp(txid: string): boolean {
    if (this.lostTransactions.has(txid)) return true
    const [own] = this.d1.rows('SELECT state FROM transactions WHERE txid = ?', txid)
    const { mempool, chain } = this.node
    return own ? own.state === 'dead' : !mempool.entries.has(txid) && !chain.confirmed.has(txid)
  }

  /** Asks the node as its operator or a user's wallet would, without faults. @throws {Error} */
  call(method: string, params: unknown[], wallet?: string): unknown {
    return readAnswer(callMethod(this.node, method, params, wallet), Number)
  }

  /** Runs agent steps until there is nothing more to do at once; an error ends it as the alarm's catch would. */
  async alarm(): Promise<void> {
    if (this.agent) return await this.agent.run()
    const faults = this.stage.faults
    try {
      for (let step = 0; step < MOST_STEPS; step++) {
        this.mayRepeat()
        const { blockchain, config, d1: db, r2: bucket, rpc, numbers } = this
        const now = this.serviceNow()
        if ((await runStep({ blockchain, config, db, bucket, rpc, numbers, now })).next !== 'now') return
      }
      if (this.stage.eventRate === 0) this.problems.push(`${MOST_STEPS} steps, each to be followed at once by another`)
    } catch (error) {
      this.#accept(error, this.stage.faults > faults)
    }
  }

  /** The watchdog, or a caller, wakes the agent. */
  async wake(): Promise<void> {
    await this.agent?.wake()
  }

  /** What a caller of the API meets: refusals, and 5xx only where something failed. */
  async request(work: () => Promise<unknown>): Promise<void> {
    const faults = this.stage.faults
    this.mayRepeat()
    try {
      await work()
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return
      this.#accept(error, this.stage.faults > faults)
    }
  }

  /** What the service's own log says has failed, and is tried again. */
  onLogged = (text: string, ...details: unknown[]): void => {
    noteLogged(this, text, details)
    if (/step_failed/.test(text)) this.#accept(details[1], this.stage.faultRate > 0)
  }

  #accept(error: unknown, faulty: boolean): void {
    // The chain may change between two calls to the node: what it then says fits nothing, and is asked again.
    const moved = this.stage.eventRate > 0 && (error instanceof NodeError || error instanceof RpcError)
    if (faulty || moved || (error instanceof AppError && moved)) return
    // A wallet that is locked or empty sells nothing, and says so.
    const emptied = MAY_REFUSE.some((name) => this.models.has(name))
    if (error instanceof AppError && error.status === 503 && emptied) return
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : undefined
    // Nothing is sold while the agent's steps fail, be it of a fault before.
    if (String(cause).startsWith("the agent can't work")) return
    // Nor where all that fees could be paid from hangs on a transaction that waits for a block.
    const waits = this.d1.rows(`SELECT 1 FROM transactions WHERE state IN ('signed', 'sent')`).length > 0
    if (waits && /free for fees/.test(String(cause))) return
    if (this.stage.eventRate > 0 && (cause instanceof NodeError || cause instanceof RpcError)) return
    this.problems.push(`failed without a fault: ${error instanceof Error ? error.stack : error}`)
  }

  /** Mines blocks, whose reward goes to an address `to` where one is given. */
  mine(blocks = 1, { to, ...options }: { empty?: boolean; only?: readonly string[]; to?: string } = {}): void {
    const address = to ?? String(this.call('getnewaddress', [], 'faucet'))
    const script = addressScript(address, this.node.settings.address)
    for (let i = 0; i < blocks && script; i++) {
      this.now += 1000
      this.node.mine(script, this.#passBy(options))
      const { mempool } = this.node
      if (this.mempoolFloor > mempool.minFeeRate) mempool.minFeeRate = this.mempoolFloor
    }
    this.noteDepths()
  }

  /** What a block may hold: all but what miners pass by now, and what stands on that. */
  #passBy<T extends { empty?: boolean; only?: readonly string[] }>(options: T): T {
    const { mempool } = this.node
    const avoided = [...this.withheld, ...(this.passedByFor > 0 ? this.waiting : [])]
    const entries = avoided.flatMap((txid) => mempool.entries.get(txid) ?? [])
    if (entries.length === 0 || options.empty) return options
    const passed = new Set([...mempool.descendantsOf(entries)].map(({ transaction }) => transaction.txid))
    return { ...options, only: (options.only ?? [...mempool.entries.keys()]).filter((txid) => !passed.has(txid)) }
  }

  /** What the service sent that waits in the mempool. */
  get waiting(): string[] {
    return [...this.node.mempool.entries.keys()].filter((txid) => this.sent.has(txid))
  }

  /** Notes how deep everything of the last blocks is. */
  noteDepths(): void {
    const { chain } = this.node
    for (const block of chain.active.slice(-12)) {
      const depth = chain.confirmations(block)
      for (const { txid } of block.transactions) {
        if ((this.depths.get(txid) ?? 0) < depth) this.depths.set(txid, depth)
      }
    }
    // What a miner is paid takes longer.
    for (const { txid, isReward } of this.payments) {
      const block = isReward ? chain.confirmed.get(txid)?.block : undefined
      if (block) this.depths.set(txid, Math.max(this.depths.get(txid) ?? 0, chain.confirmations(block)))
    }
  }

  /** Others' transactions, at `factor` times the usual fee. */
  crowd(factor: bigint): void {
    const coin = this.#faucetCoin()
    if (coin) this.#spend(coin, {}, factor)
  }

  /** An address that is none of the service's. */
  elsewhere(): string {
    return String(this.call('getnewaddress', [], 'faucet'))
  }

  /** An operator puts coins into the service's wallet. */
  fund(amount = '90'): void {
    const coin = this.#faucetCoin()
    if (!coin) return
    const txid = this.#spend(coin, { [String(this.call('getnewaddress', [], ''))]: amount }, 30n)
    if (txid !== undefined) this.fundings.push({ txid, coin })
  }

  /** Something else spends what a transaction of the faucet did: it wins where that one is not mined. */
  spendAgain(coin: Payment['coin']): string | undefined {
    return this.#spend(coin, {}, 100n)
  }

  /** Another copy of the service's wallet spends coins of it: one coin goes elsewhere, the rest back to the wallet. */
  spendFromCopy(names: readonly string[], kept: boolean): string | undefined {
    const { node } = this
    const coins = names.flatMap((name) => {
      const coin = node.chain.coins.get(name)
      return coin ? { name, value: coin.value } : []
    })
    const total = coins.reduce((sum, { value }) => sum + value, 0n)
    const fee = (this.usual.walletFeeRate / 2n + 1000n) * 100n * BigInt(coins.length)
    const away = kept ? COIN : total - fee - COIN
    if (coins.length === 0 || total < 3n * COIN + fee) return undefined
    const inputs = coins.map(({ name }) => ({ txid: name.split(':')[0], vout: Number(name.split(':')[1]) }))
    const outputs = {
      [this.elsewhere()]: formatAmount(away),
      [String(this.call('getnewaddress', [], ''))]: formatAmount(total - away - fee),
    }
    // Its node never had what this one has of the service's.
    node.evict(names.flatMap((name) => node.mempool.spenders.get(name)?.transaction.txid ?? []))
    const txid = this.#send(this.call('createrawtransaction', [inputs, outputs]), '')
    if (txid !== undefined) this.sweeps.add(txid)
    return txid
  }

  /** Ends what is still going on. */
  calm(): void {
    for (const model of this.models.values()) model.calm?.(this)
    const { node, sweeps, usual } = this
    // What an operator's own transaction pays may never be enough: it expires, and what it conflicts with may be sent.
    const cheap = [...node.mempool.entries].filter(
      ([txid, { fee, transaction }]) =>
        sweeps.has(txid) && fee * 1000n < usual.blockMinFeeRate * BigInt(transaction.vsize),
    )
    node.evict(cheap.map(([txid]) => txid))
  }

  /** Takes the last `depth` blocks off, loses some of their transactions, and mines one block more. */
  reorganise(depth: number): void {
    const block = this.node.chain.active[this.node.chain.height - depth + 1]
    if (!block || block.height < 11) return
    this.noteDepths()
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

  /**
   * Pays from somebody's wallet, by so many outputs of one transaction. With `instead` it spends that payment's coin at a higher
   * fee, and counts as made `at` that time.
   */
  pay(
    address: string,
    amount: bigint,
    { outputs = 1, instead, at = this.#paidAt(address) }: { outputs?: number; instead?: Payment; at?: number } = {},
  ): void {
    const coin = instead?.coin ?? this.#faucetCoin()
    if (!coin || amount <= 0n) return
    const txid = this.#spend(coin, { [address]: formatAmount(amount) }, instead ? 100n : 1n, outputs)
    if (txid === undefined) return
    this.#watchMempool()
    this.payments.push({ txid, address, amount, at, coin })
  }

  /** The time of a payment to an address that is made now: with a clock that is put back, what has expired stays so. */
  #paidAt(address: string): number {
    const sql = `SELECT expires_at FROM payment_requests WHERE address = ? AND state = 'expired'`
    const [ended] = this.d1.rows(sql, address)
    return Math.max(this.now, this.serviceNow(), Number(ended?.expires_at ?? 0))
  }

  /** A block whose reward is paid to an address. */
  mineTo(address: string): void {
    this.mine(1, { to: address })
    const [coinbase] = this.node.chain.tip.transactions
    const amount = coinbase?.outputs[0]?.value
    if (!coinbase || amount === undefined) return
    this.#seen.set(coinbase.txid, coinbase)
    const coin = { txid: coinbase.txid, vout: 0, amount: '0' }
    this.payments.push({ txid: coinbase.txid, address, amount, at: this.#paidAt(address), coin, isReward: true })
  }

  /** Another transaction takes a payment's place, and pays the payer: it wins where the payment is not mined. */
  replacePayment(): void {
    const payment = this.random.pick(
      this.payments.filter(({ txid, isReward }) => !isReward && !this.node.chain.confirmed.has(txid)),
    )
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

  /** Spends a coin of the faucet's at `feeFactor` times the usual fee; the first of the outputs may be split into several. */
  #spend(coin: Payment['coin'], outputs: Record<string, string>, feeFactor: bigint, pieces = 1): string | undefined {
    const paid = Object.values(outputs).reduce((sum, coins) => sum + toUnits(coins), 0n)
    const fee = (this.usual.walletFeeRate / 2n + 1000n) * feeFactor
    const back = String(this.call('getnewaddress', [], 'faucet'))
    const change = formatAmount(toUnits(coin.amount) - paid - fee)
    const inputs = [{ txid: coin.txid, vout: coin.vout, sequence: 0xffff_fffd }]
    const raw = String(this.call('createrawtransaction', [inputs, { ...outputs, [back]: change }]))
    return this.#send(splitOutput(raw, pieces), 'faucet')
  }

  /** Has a wallet sign a transaction and the node take it. */
  #send(raw: unknown, wallet: string): string | undefined {
    const sign = this.node.settings.dialect === 'core' ? 'signrawtransactionwithwallet' : 'signrawtransaction'
    try {
      const signed = this.call(sign, [raw], wallet)
      const hex = signed && typeof signed === 'object' && 'hex' in signed ? signed.hex : undefined
      return String(this.call('sendrawtransaction', [hex]))
    } catch {
      return undefined
    }
  }
}

function txidOf(hex: string): string {
  const transaction = decodeTransaction(fromHex(hex) ?? new Uint8Array(0))
  return transactionId(encodeTransaction(transaction, { witness: false }))
}

/** An unsigned transaction, in hex, whose first output is split into so many of the same script. */
function splitOutput(raw: string, pieces: number): string {
  const transaction = decodeTransaction(fromHex(raw) ?? new Uint8Array(0))
  const [first, ...others] = transaction.outputs
  const part = first && first.value / BigInt(pieces)
  if (!first || !part || pieces === 1) return raw
  const parts = Array.from({ length: pieces }, (_, at) => ({
    script: first.script,
    value: at === 0 ? first.value - part * BigInt(pieces - 1) : part,
  }))
  return toHex(encodeTransaction({ ...transaction, outputs: [...parts, ...others] }))
}

function toUnits(coins: string): bigint {
  const [whole = '0', fraction = ''] = coins.split('.')
  return BigInt(whole) * COIN + BigInt(fraction.padEnd(8, '0'))
}
