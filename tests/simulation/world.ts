import type { Block } from '../../devnet/chain.ts'
import type { LedgerTransaction } from '../../devnet/ledger-transaction.ts'
import { Node } from '../../devnet/node.ts'
import type { NodeSettings } from '../../devnet/node-settings.ts'
import { readAnswer } from '../../devnet/rpc/exact-json.ts'
import { callMethod } from '../../devnet/rpc/handle-rpc.ts'
import type { Wallet } from '../../devnet/wallet.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import type { RpcCall, RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import { type Config, ConfigurationError, checkConfig, type Variable } from '../../worker/platform/config/config.ts'
import type { FIXED_LIMITS } from '../../worker/platform/config/fixed-limits.ts'
import { MemoryD1 } from '../kit/in-process/memory-d1.ts'
import { memoryNumbers } from '../kit/in-process/memory-numbers.ts'
import { MoveWatch } from './check-moves.ts'
import { chooseChain, chooseModels, chooseNode, chooseOfChain, chooseVariables } from './choose-setup.ts'
import { Random } from './random.ts'
import type { Agent, AskedPayout, Payment, UploadedItem } from './records.ts'
import type { Repeats } from './repeats.ts'
import { SimulatedBucket } from './simulated-bucket.ts'
import { Stage } from './stage.ts'

export const USERS = ['ada', 'bob']
export const FAULT_RATE = 0.02
/** How often two steps of a chain run at once. */
const TWO_AT_ONCE = 0.2
const START = 1_800_000_000_000
const database = new MemoryD1()

/**
 * A part of the weather that a service meets. `settings` are what its operator has set, `limits` what
 * the service has in place of its own, `begin` prepares the world, `happen`
 * is one event, at any await of the service, `turn` comes after each turn, `answer` takes the place of the node's for one call, and
 * `calm` ends what is still going on: money must then find its way.
 */
export interface Model {
  /** Whether it is about what is written: about half of the seeds have none such, and take less time. */
  hard?: boolean
  /** Whether it is about money that comes and goes: only seeds with withdrawals have it. */
  money?: boolean
  /**
   * The only chain that it is of. Whether it takes part is drawn apart from all else, so that seeds without it are as they were
   * before there was such a model.
   */
  chain?: Blockchain
  settings?(random: Random, suffix: string): Partial<Record<Variable, string>>
  limits?(random: Random): Partial<typeof FIXED_LIMITS>
  begin?(world: World): void
  happen(world: World): void
  turn?(world: World): void
  /** What users and operators do in a turn, while all else is at work. */
  acts?(world: World): (() => Promise<void>)[]
  /** What comes when faults have ended and all is calm, before the world has to come to rest. */
  end?(world: World): Promise<void>
  answer?(world: World, call: RpcCall): RpcOutcome | undefined
  calm?(world: World): void
  /** What operators do in each round of blocks in which the world comes to rest. */
  round?(world: World): (() => Promise<void>)[]
}

/** Less than in the service, whose blocks are not mined by the hundred here, and more than a reorganisation takes off at once. */
export const FOLD_BLOCKS = 8

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
  /** What bucket and object had at some of these moments. */
  readonly copies = new Map<number, { objects: Map<string, Uint8Array>; stored: Map<string, unknown> }>()
  /** How often it was restored before a task first used it. */
  readonly restoresBefore = new WeakMap<object, number>()
  /** API keys with the most that each may pay from the balance on a day, and what was paid by one, by its cause. */
  readonly keys = new Map<string, { userId: string; limit: bigint }>()
  readonly paidByKey = new Map<string, string>()
  /** The key that a task's request is made with, by its id. */
  readonly keyOfTask = new WeakMap<object, string>()
  readonly moves = new MoveWatch(this)
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
  /** What waited or was in a block at any time. */
  readonly seen = new Map<string, LedgerTransaction>()
  /** What each task did. */
  readonly repeats = new WeakMap<object, Repeats>()
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
  /** The wallet whose place another one took. */
  replaced: Wallet | undefined
  /** Every wallet that the service's node ever had. */
  readonly ownWallets = new Set<Wallet>()
  now = START

  /** About half of the models that may come take part in a seed. */
  constructor(seed: number, models: ReadonlyMap<string, Model>) {
    const random = new Random(seed)
    this.random = random
    this.stage = new Stage(random)
    this.blockchain = chooseChain(random)
    this.usual = chooseNode(random, this.blockchain)
    this.node = new Node({ settings: this.usual, now: () => this.now, seed: 'simulation' })
    const suffix = this.blockchain.toUpperCase()
    this.variables = chooseVariables(random, suffix)
    this.models = new Map([
      ...chooseModels(random, models),
      ...chooseOfChain(new Random(seed ^ 0xc01d), this.blockchain, models),
    ])
    const limits = { foldBlocks: FOLD_BLOCKS }
    for (const model of this.models.values()) {
      Object.assign(this.variables, model.settings?.(random, suffix))
      Object.assign(limits, model.limits?.(random))
    }
    const config = checkConfig(this.variables)
    if (config instanceof ConfigurationError) throw config
    this.config = { ...config, ...limits }
  }

  /** The agent's number of payouts and its mark, in the storage of its object. */
  readonly numbers = memoryNumbers(this.stored)

  /** Counts that an invariant was asked. */
  count(invariant: string): void {
    this.checked.set(invariant, (this.checked.get(invariant) ?? 0) + 1)
  }

  /** Counts what the service did. */
  did(what: string, times = 1): void {
    if (times > 0) this.done.set(what, (this.done.get(what) ?? 0) + times)
  }

  /** What the service's clock shows. */
  serviceNow = (): number => this.now + this.skew

  /** Asks the node as its operator or a user's wallet would, without faults. @throws {Error} */
  call(method: string, params: unknown[], wallet?: string): unknown {
    return readAnswer(callMethod(this.node, method, params, wallet), Number)
  }

  /** What the service sent that waits in the mempool. */
  get waiting(): string[] {
    return [...this.node.mempool.entries.keys()].filter((txid) => this.sent.has(txid))
  }
}
