import { fromHex, toHex } from '../protocol/bytes.ts'
import { type Acceptance, acceptTransaction } from './accept-transaction.ts'
import { type Block, type Chain, type Coin, isUnspendable } from './chain.ts'
import { chunksOf, clustersOf, toNodes } from './cluster.ts'
import type { Journal, JournalEvent } from './journal.ts'
import { type LedgerTransaction, readLedgerTransaction } from './ledger-transaction.ts'
import { Mempool } from './mempool.ts'
import type { MempoolEntry } from './mempool-entry.ts'
import { type BlockOptions, chooseTransactions, makeBlock } from './mine-block.ts'
import type { NodeSettings } from './node-settings.ts'
import { FAUCET, premineChain, SERVICE } from './premine.ts'
import type { Rejection } from './rejection.ts'
import { type AddressType, Wallet, type WalletKey } from './wallet.ts'

export interface NodeOptions {
  settings: NodeSettings
  /** Milliseconds since 1970. */
  now: () => number
  /** The seed of the wallets' keys. */
  seed: string
  /** Every change is recorded here before the response; without it a node stores nothing. */
  journal?: Journal
}

const MEMPOOL_FULL: Rejection = { reason: 'mempool full', code: 66 }

/** One embedded node: a chain, a mempool and wallets. All of it is synchronous. */
export class Node {
  settings: NodeSettings
  readonly chain: Chain
  readonly mempool = new Mempool()
  readonly wallets = new Map<string, Wallet>()
  readonly startedAt: number
  /** For tests: the error of every call while the node starts, such as `Loading block index…`. */
  warmup: string | undefined
  /** For tests: whether the node reports that it still downloads blocks. */
  syncing = false
  /** For tests: whether the blocks that it mines are merge-mined, where its chain has that. */
  mergedMining = false
  /**
   * The result of `estimatesmartfee`, base units per 1,000 vbytes; `none` as on a new node. Its wallets pay the same.
   */
  feeEstimate: bigint | 'none' | undefined
  readonly #now: () => number
  readonly #seed: string
  readonly #journal: Journal | undefined
  /** While events are replayed: the time they happened, in Unix seconds. */
  #replayTime: number | undefined
  #arrivals: number

  constructor({ settings, now, seed, journal }: NodeOptions) {
    this.settings = settings
    this.#now = now
    this.#seed = seed
    this.#journal = journal
    this.chain = premineChain(settings)
    this.#arrivals = this.chain.blocks.size
    this.startedAt = Math.floor(now() / 1000)
    for (const name of [SERVICE, FAUCET]) {
      const wallet = this.#openWallet(name)
      wallet.addPremineKey()
      const [, premine] = this.chain.active
      if (premine) wallet.connect(premine)
    }
    for (const event of journal?.events() ?? []) this.#replay(event)
  }

  /** Unix seconds. */
  get time(): number {
    return this.#replayTime ?? Math.floor(this.#now() / 1000)
  }

  /** Whether a transaction would be accepted; changes nothing. */
  test(transaction: LedgerTransaction): Acceptance | Rejection {
    return acceptTransaction(transaction, this)
  }

  /** Accepts a transaction into the mempool; a rejection changes nothing. */
  submit(transaction: LedgerTransaction): Rejection | undefined {
    const outcome = acceptTransaction(transaction, this)
    if ('reason' in outcome) return outcome
    this.#record({ type: 'transaction', time: this.time, hex: toHex(transaction.raw) })
    this.#admit(transaction, outcome)
    return this.mempool.entries.has(transaction.txid) ? undefined : MEMPOOL_FULL
  }

  #admit(transaction: LedgerTransaction, { fee, replaces }: Acceptance): void {
    this.mempool.removeWithDescendants(replaces)
    this.mempool.add(transaction, fee, this.time, this.chain.height)
    this.mempool.expire(this.time - this.settings.mempoolExpirySeconds)
    this.#trim()
    if (!this.mempool.entries.has(transaction.txid)) return
    for (const wallet of this.wallets.values()) wallet.see(transaction, this.time)
  }

  /** Adds transactions that were accepted together to the mempool, and evicts others only after the last. */
  admitPackage(transactions: readonly { transaction: LedgerTransaction; fee: bigint }[]): void {
    const hexes = transactions.map(({ transaction }) => toHex(transaction.raw))
    this.#record({ type: 'package', time: this.time, hexes })
    for (const { transaction, fee } of transactions) this.mempool.add(transaction, fee, this.time, this.chain.height)
    this.mempool.expire(this.time - this.settings.mempoolExpirySeconds)
    this.#trim()
    for (const { transaction } of transactions) {
      if (!this.mempool.entries.has(transaction.txid)) continue
      for (const wallet of this.wallets.values()) wallet.see(transaction, this.time)
    }
  }

  #trim(): void {
    const { cluster, maxMempoolBytes, incrementalFeeRate } = this.settings
    if (cluster) this.mempool.trimChunks(maxMempoolBytes, incrementalFeeRate)
    else this.mempool.trim(maxMempoolBytes, incrementalFeeRate)
  }

  /** Changes the configuration, as a restart with other options does; transactions against the new policy are evicted. */
  reconfigure(changes: Partial<NodeSettings>): void {
    this.settings = { ...this.settings, ...changes }
    const before = [...this.mempool.entries.keys()]
    this.#trim()
    const txids = before.filter((txid) => !this.mempool.entries.has(txid))
    if (txids.length > 0) this.#record({ type: 'evict', time: this.time, txids })
  }

  /**
   * The state that a restart loses: locks of coins, unlocked wallets, the mempool's minimum fee, and with it the
   * mempool.
   */
  restart({ keepMempool = true }: { keepMempool?: boolean } = {}): void {
    for (const wallet of this.wallets.values()) wallet.forget()
    this.mempool.minFeeRate = 0n
    if (!keepMempool) this.evict([...this.mempool.entries.keys()])
  }

  /** The fee rate of its wallets in base units per 1,000 vbytes, at least the minimum of a full mempool. */
  get walletFeeRate(): bigint {
    const { minFeeRate } = this.mempool
    const usual = typeof this.feeEstimate === 'bigint' ? this.feeEstimate : this.settings.walletFeeRate
    if (minFeeRate > usual) return minFeeRate
    return usual
  }

  /**
   * Mines a block of the mempool, of nothing, or of `only` these transactions, and of `raw` ones, whose scripts and amounts are
   * not verified, and whose fees are lost; the reward is paid to `script`.
   */
  mine(
    script: Uint8Array,
    {
      empty = false,
      only,
      raw = [],
    }: { empty?: boolean; only?: readonly string[]; raw?: readonly LedgerTransaction[] } = {},
  ): Block {
    const entries = empty ? [] : only ? this.#choose(only) : chooseTransactions(this.mempool, this.settings)
    const value = entries.reduce((sum, { fee }) => sum + fee, this.settings.subsidy)
    const chosen = entries.map(({ transaction }) => transaction)
    const block = this.#seal(script, value, [...chosen, ...raw], { time: this.time, merged: this.mergedMining })
    this.#record({
      type: 'block',
      time: this.time,
      script: toHex(script),
      value: value.toString(),
      txids: chosen.map(({ txid }) => txid),
      ...(raw.length > 0 && { hexes: raw.map((transaction) => toHex(transaction.raw)) }),
      ...(block.auxPow && { merged: true }),
    })
    this.#connect(block)
    return block
  }

  /** These with all their ancestors, parents first. */
  #choose(txids: readonly string[]): MempoolEntry[] {
    const named = txids.flatMap((txid) => this.mempool.entries.get(txid) ?? [])
    return [...this.mempool.ancestorsOf(named)].sort((a, b) => a.ancestorCount - b.ancestorCount)
  }

  #seal(
    script: Uint8Array,
    value: bigint,
    transactions: LedgerTransaction[],
    options: Pick<BlockOptions, 'time' | 'merged'>,
  ): Block {
    const arrival = this.#arrivals++
    return makeBlock(this.chain, this.chain.tip, transactions, [{ value, script }], {
      ...options,
      arrival,
      settings: this.settings,
    })
  }

  #connect(block: Block): void {
    if (!this.chain.blocks.has(block.hash)) this.chain.add(block)
    this.chain.connect(block)
    for (const transaction of block.transactions) {
      const entry = this.mempool.entries.get(transaction.txid)
      if (entry) this.mempool.remove(entry)
      for (const name of transaction.outpoints) {
        const conflict = this.mempool.spenders.get(name)
        if (conflict) this.mempool.removeWithDescendants([conflict])
      }
    }
    this.mempool.minFeeRate = 0n
    for (const wallet of this.wallets.values()) wallet.connect(block)
  }

  /** Marks a block and its descendants invalid; their transactions return to the mempool. */
  invalidate(block: Block): void {
    this.#record({ type: 'invalidate', time: this.time, hash: block.hash })
    for (const one of this.chain.descendants(block)) this.chain.invalid.add(one)
    this.#activateBest()
  }

  /** Undoes `invalidate` for a block, its ancestors and its descendants. */
  reconsider(block: Block): void {
    this.#record({ type: 'reconsider', time: this.time, hash: block.hash })
    for (let at: Block | undefined = block; at; at = at.parent) this.chain.invalid.delete(at)
    for (const one of this.chain.descendants(block)) this.chain.invalid.delete(one)
    this.#activateBest()
  }

  #activateBest(): void {
    const best = this.chain.bestCandidate()
    if (best === this.chain.tip) return
    const path: Block[] = []
    let fork: Block | undefined = best
    for (; fork && !this.chain.isActive(fork); fork = fork.parent) path.unshift(fork)
    const returned: LedgerTransaction[] = []
    while (this.chain.tip !== fork) {
      const block = this.chain.disconnect()
      for (const wallet of this.wallets.values()) wallet.disconnect(block)
      returned.unshift(...block.transactions.filter(({ coinbase }) => !coinbase))
    }
    for (const block of path) this.#connect(block)
    const waiting = [...this.mempool.entries.values()]
    for (const entry of waiting.toReversed()) this.mempool.remove(entry)
    for (const transaction of [...returned, ...waiting.map((entry) => entry.transaction)]) {
      if (this.chain.confirmed.has(transaction.txid)) continue
      const outcome = acceptTransaction(transaction, this, { reorganising: true })
      if ('reason' in outcome || outcome.replaces.length > 0) continue
      this.mempool.add(transaction, outcome.fee, this.time, this.chain.height)
    }
    this.#trimClusters()
  }

  /**
   * A reorganisation may join clusters beyond the limit; then the last transactions in them are evicted
   * (TxGraph::Trim).
   */
  #trimClusters(): void {
    const { cluster: limit } = this.settings
    if (!limit) return
    for (const cluster of clustersOf(this.mempool.entries.values())) {
      let bytes = 0
      const order = chunksOf(toNodes(cluster)).flatMap(({ entries }) => entries)
      const kept = order.findIndex((entry, index) => {
        bytes += entry.transaction.vsize
        return index >= limit.count || bytes > limit.bytes
      })
      if (kept >= 0) this.mempool.removeWithDescendants(order.slice(kept))
    }
  }

  /** Evicts waiting transactions with their descendants, as a full mempool or an expiry does. For tests. */
  evict(txids: readonly string[]): string[] {
    const entries = txids.map((txid) => this.mempool.entries.get(txid)).filter((entry) => entry !== undefined)
    if (entries.length === 0) return []
    this.#record({ type: 'evict', time: this.time, txids: entries.map(({ transaction }) => transaction.txid) })
    return this.mempool.removeWithDescendants(entries).map(({ transaction }) => transaction.txid)
  }

  /** A new address of a wallet, which is recorded before it is returned. */
  newKey(wallet: Wallet, label: string, change: boolean, addressType?: AddressType): WalletKey {
    const type = addressType ?? null
    this.#record({ type: 'key', time: this.time, wallet: wallet.name, label, change, addressType: type })
    return wallet.addKey(label, change, addressType)
  }

  /** `loadOnStart` as for createwallet: without it, a node with clusters does not load the wallet when it restarts. */
  createWallet(name: string, loadOnStart = false): Wallet {
    this.#record({ type: 'wallet', time: this.time, name, loadOnStart })
    return this.#openWallet(name)
  }

  /** From now on the wallet signs only after its passphrase was entered. */
  encryptWallet(wallet: Wallet, passphrase: string): void {
    this.#record({ type: 'encrypt', time: this.time, wallet: wallet.name, passphrase })
    wallet.passphrase = passphrase
    wallet.unlockedUntil = 0
  }

  /** Replaces a wallet by a new one of the same name, with other keys and no coins. */
  replaceWallet({ name, generation }: Wallet): Wallet {
    this.#record({ type: 'replace', time: this.time, wallet: name })
    return this.#openWallet(name, generation + 1)
  }

  /** Locks coins, or unlocks them; `persistent` locks outlive a restart. */
  lockCoins(wallet: Wallet, names: readonly string[], persistent: boolean): void {
    if (persistent)
      this.#record({ type: 'lock', time: this.time, wallet: wallet.name, names: [...names], locked: true })
    for (const name of names) wallet.lock(name, persistent)
  }

  unlockCoins(wallet: Wallet, names: readonly string[]): void {
    this.#record({ type: 'lock', time: this.time, wallet: wallet.name, names: [...names], locked: false })
    for (const name of names) wallet.unlock(name)
  }

  /** Rescans the blocks from `height` on, and the mempool, for a wallet. */
  rescan(wallet: Wallet, height: number): void {
    for (const block of this.chain.active.slice(height)) wallet.connect(block)
    for (const { transaction, time } of this.mempool.entries.values()) wallet.see(transaction, time)
  }

  #openWallet(name: string, generation = 0): Wallet {
    const seed = `${this.#seed}/${this.settings.blockchain}`
    const wallet = new Wallet(name, generation > 0 ? `${seed}/replaced-${generation}` : seed, this.settings, generation)
    this.wallets.set(name, wallet)
    return wallet
  }

  /** The unspent output at an outpoint: confirmed, or with `waiting` also in the mempool and not spent there. */
  coin(name: string, { waiting }: { waiting: boolean }): Coin | undefined {
    const confirmed = this.chain.coins.get(name)
    if (!waiting) return confirmed
    if (this.mempool.spenders.has(name)) return undefined
    return confirmed ?? this.output(name)
  }

  /** The output of a waiting transaction, or a confirmed one, whether or not the mempool spends it. */
  output(name: string): Coin | undefined {
    const confirmed = this.chain.coins.get(name)
    if (confirmed) return confirmed
    const [txid = '', vout = ''] = name.split(':')
    const output = this.mempool.entries.get(txid)?.transaction.outputs[Number(vout)]
    if (!output || isUnspendable(output.script)) return undefined
    return { ...output, height: this.chain.height + 1, coinbase: false }
  }

  #record(event: JournalEvent): void {
    if (this.#replayTime === undefined) this.#journal?.append(event)
  }

  /** Repeats a recorded change; its signatures were verified at that time. */
  #replay(event: JournalEvent): void {
    this.#replayTime = event.time
    switch (event.type) {
      case 'transaction': {
        const transaction = readLedgerTransaction(fromHex(event.hex) ?? new Uint8Array(0))
        const outcome = acceptTransaction(transaction, this, { reorganising: true, checked: true })
        if (!('reason' in outcome)) this.#admit(transaction, outcome)
        break
      }
      case 'package': {
        const found: { transaction: LedgerTransaction; fee: bigint }[] = []
        for (const hex of event.hexes) {
          const transaction = readLedgerTransaction(fromHex(hex) ?? new Uint8Array(0))
          const outcome = acceptTransaction(transaction, this, { reorganising: true, checked: true })
          if ('reason' in outcome) continue
          this.mempool.add(transaction, outcome.fee, this.time, this.chain.height)
          found.push({ transaction, fee: outcome.fee })
        }
        for (const { transaction } of found.toReversed()) {
          const entry = this.mempool.entries.get(transaction.txid)
          if (entry) this.mempool.remove(entry)
        }
        this.admitPackage(found)
        break
      }
      case 'block': {
        const transactions = event.txids
          .map((txid) => this.mempool.entries.get(txid)?.transaction)
          .filter((transaction) => transaction !== undefined)
        const raw = (event.hexes ?? []).map((hex) => readLedgerTransaction(fromHex(hex) ?? new Uint8Array(0)))
        const script = fromHex(event.script) ?? new Uint8Array(0)
        const { time, merged = false } = event
        this.#connect(this.#seal(script, BigInt(event.value), [...transactions, ...raw], { time, merged }))
        break
      }
      case 'invalidate':
      case 'reconsider': {
        const block = this.chain.blocks.get(event.hash)
        if (block) this[event.type](block)
        break
      }
      case 'evict':
        this.evict(event.txids)
        break
      case 'key':
        this.wallets.get(event.wallet)?.addKey(event.label, event.change, event.addressType ?? undefined)
        break
      case 'encrypt': {
        const wallet = this.wallets.get(event.wallet)
        if (wallet) this.encryptWallet(wallet, event.passphrase)
        break
      }
      case 'wallet':
        this.#openWallet(event.name).loaded = !this.settings.cluster || event.loadOnStart === true
        break
      case 'replace': {
        const wallet = this.wallets.get(event.wallet)
        if (wallet) this.replaceWallet(wallet)
        break
      }
      case 'lock': {
        const wallet = this.wallets.get(event.wallet)
        for (const name of event.names) event.locked ? wallet?.lock(name, true) : wallet?.unlock(name)
        break
      }
    }
    this.#replayTime = undefined
  }
}
