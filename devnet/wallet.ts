import { concatBytes, toHex } from '../protocol/bytes.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { payToPubKeyHash, payToWitnessPubKeyHash, scriptAddress } from './address.ts'
import type { Block } from './chain.ts'
import { rememberSignature } from './check-input.ts'
import { hash160, sha256 } from './hash.ts'
import { type LedgerTransaction, outpoint } from './ledger-transaction.ts'
import type { NodeSettings } from './node-settings.ts'
import { legacySignatureHash, SIGHASH_ALL, type SpentOutput, witnessSignatureHash } from './signature-hash.ts'
import { publicKeyOf, signHash } from './signatures.ts'

export type AddressType = 'legacy' | 'bech32'

/** A key of the wallet and the one output script it is used for. */
export interface WalletKey {
  index: number
  privateKey: Uint8Array
  publicKey: Uint8Array
  script: Uint8Array
  address: string
  /** Change is not shown as received. */
  change: boolean
  label: string
}

/** A transaction that pays the wallet or is paid by it. */
export interface WalletTransaction {
  transaction: LedgerTransaction
  /** Unix seconds when the wallet first saw it. */
  time: number
  /** Base units of the wallet's that it spends. */
  debit: bigint
}

/** An output that pays the wallet. */
export interface WalletCoin {
  txid: string
  vout: number
  value: bigint
  key: WalletKey
}

interface KeyPair {
  privateKey: Uint8Array
  publicKey: Uint8Array
}

const pairs = new Map<string, KeyPair>()

/** Key `index` of a wallet: its seed, the wallet's name and the number, hashed. */
function deriveKey(seed: string, name: string, index: number): KeyPair {
  const id = `${seed}/${name}/${index}`
  const known = pairs.get(id)
  if (known) return known
  const privateKey = sha256(new TextEncoder().encode(id))
  const pair = { privateKey, publicKey: publicKeyOf(privateKey) }
  if (pairs.size > 10_000) pairs.clear()
  pairs.set(id, pair)
  return pair
}

const places = new Map<string, Pick<WalletKey, 'script' | 'address'>>()

/** Cached payment scripts of public keys: hashing one and encoding its address take as long as most other work. */
function placeOf(publicKey: Uint8Array, legacy: boolean, prefixes: NodeSettings['address']) {
  const id = `${prefixes.pubKeyHash}/${legacy ? '' : prefixes.hrp}/${toHex(publicKey)}`
  const known = places.get(id)
  if (known) return known
  const hash = hash160(publicKey)
  const script = legacy ? payToPubKeyHash(hash) : payToWitnessPubKeyHash(hash)
  const place = { script, address: scriptAddress(script, prefixes) ?? '' }
  if (places.size > 10_000) places.clear()
  places.set(id, place)
  return place
}

/** The keys of a wallet, and the transactions that touch them. The chain and the mempool know what is unspent. */
export class Wallet {
  readonly name: string
  readonly keys = new Map<string, WalletKey>()
  readonly transactions = new Map<string, WalletTransaction>()
  /** Outputs paying the wallet that no block has spent yet. */
  readonly coins = new Map<string, WalletCoin>()
  readonly locked = new Set<string>()
  readonly #persistentLocks = new Set<string>()
  /** Transactions whose fee it raised, and their replacements; forgotten when the process ends. */
  readonly replaced = new Map<string, string>()
  /** Unconfirmed transactions that were abandoned (`abandontransaction`). */
  readonly abandoned = new Set<string>()
  /** Whether the wallet is loaded; it follows the chain in any case. */
  loaded = true
  /** Set once it is encrypted: it then signs only until `unlockedUntil`, Unix seconds. */
  passphrase: string | undefined
  unlockedUntil = 0
  /** Start and end (Unix seconds) of a simulated rescan. */
  scan: { from: number; until: number } | undefined
  /** How often it was replaced by another wallet of the same name. */
  readonly generation: number
  /** The number of keys so far. */
  count = 0
  readonly #seed: string
  readonly #settings: NodeSettings
  readonly #spent = new Map<string, WalletCoin>()

  constructor(name: string, seed: string, settings: NodeSettings, generation = 0) {
    this.name = name
    this.generation = generation
    this.#seed = seed
    this.#settings = settings
  }

  /** The next unused key. */
  addKey(label: string, change: boolean, type?: AddressType): WalletKey {
    return this.#register(deriveKey(this.#seed, this.name, this.count), label, change, type)
  }

  /** The key that the first block pays. It is the same for every seed, so that this block is mined once and copied. */
  addPremineKey(): WalletKey {
    return this.#register(deriveKey(`premine/${this.#settings.blockchain}`, this.name, 0), '', true)
  }

  #register(pair: KeyPair, label: string, change: boolean, type?: AddressType): WalletKey {
    const { address: prefixes } = this.#settings
    const place = placeOf(pair.publicKey, !prefixes.hrp || type === 'legacy', prefixes)
    const key = { ...pair, ...place, index: this.count++, change, label }
    this.keys.set(toHex(place.script), key)
    return key
  }

  keyFor(script: Uint8Array): WalletKey | undefined {
    if (script.length > 25) return undefined
    return this.keys.get(toHex(script))
  }

  /** The output of the wallet that an outpoint names, spent or not. */
  coin(name: string): WalletCoin | undefined {
    return this.coins.get(name) ?? this.#spent.get(name)
  }

  /** Records a transaction from the mempool or a block if it concerns the wallet. */
  see(transaction: LedgerTransaction, time: number): void {
    if (this.transactions.has(transaction.txid)) return
    let debit = 0n
    let mine = false
    for (const name of transaction.outpoints) {
      const coin = this.coin(name)
      if (!coin) continue
      debit += coin.value
      mine = true
    }
    for (const [vout, { value, script }] of transaction.outputs.entries()) {
      const key = this.keyFor(script)
      if (!key) continue
      mine = true
      this.coins.set(outpoint(transaction.txid, vout), { txid: transaction.txid, vout, value, key })
    }
    if (mine) this.transactions.set(transaction.txid, { transaction, time, debit })
  }

  lock(name: string, persistent: boolean): void {
    this.locked.add(name)
    if (persistent) this.#persistentLocks.add(name)
  }

  unlock(name: string): void {
    this.locked.delete(name)
    this.#persistentLocks.delete(name)
  }

  /** The state that a restart of the node loses. */
  forget(): void {
    this.locked.clear()
    for (const name of this.#persistentLocks) this.locked.add(name)
    this.unlockedUntil = 0
    this.scan = undefined
  }

  /** Abandons a transaction, and those of the wallet that spend from it. */
  abandon(txid: string): void {
    this.abandoned.add(txid)
    for (const { transaction } of this.transactions.values()) {
      const isNext = !this.abandoned.has(transaction.txid) && transaction.inputs.some((input) => input.txid === txid)
      if (isNext) this.abandon(transaction.txid)
    }
  }

  /** Forgets transactions, as after restoring an old backup; a rescan finds them again. */
  forgetTransactions(txids: readonly string[]): void {
    for (const txid of txids) {
      const known = this.transactions.get(txid)
      if (!known) continue
      this.transactions.delete(txid)
      for (const vout of known.transaction.outputs.keys()) {
        this.coins.delete(outpoint(txid, vout))
        this.#spent.delete(outpoint(txid, vout))
      }
    }
  }

  /**
   * What a backup of the wallet holds now; returns what takes the wallet back to it. As with a real one, the node has to look through
   * the blocks since ({@link Node.rescan}).
   */
  backUp(): () => void {
    const { count } = this
    const kept = [
      copyEntries(this.keys),
      copyEntries(this.transactions),
      copyEntries(this.coins),
      copyEntries(this.#spent),
    ]
    const locked = new Set(this.locked)
    return () => {
      this.count = count
      for (const restore of kept) restore()
      this.locked.clear()
      for (const name of locked) this.locked.add(name)
    }
  }

  connect(block: Block): void {
    for (const transaction of block.transactions) {
      this.see(transaction, block.time)
      if (transaction.coinbase) continue
      for (const name of transaction.outpoints) {
        const coin = this.coins.get(name)
        if (!coin) continue
        this.coins.delete(name)
        this.#spent.set(name, coin)
        this.unlock(name)
      }
    }
  }

  disconnect(block: Block): void {
    for (const transaction of block.transactions) {
      for (const name of transaction.outpoints) {
        const coin = this.#spent.get(name)
        if (!coin) continue
        this.#spent.delete(name)
        this.coins.set(name, coin)
      }
    }
  }

  /** Signs input `index` in place if the wallet has the key; returns whether it did. */
  sign(transaction: Transaction, index: number, spent: SpentOutput, hashType: number = SIGHASH_ALL): boolean {
    const key = this.keyFor(spent.script)
    const input = transaction.inputs[index]
    if (!key || !input) return false
    const witness = spent.script[0] === 0
    const innerHash = witness
      ? witnessSignatureHash(transaction, index, payToPubKeyHash(spent.script.subarray(2)), spent.value, hashType)
      : legacySignatureHash(transaction, index, spent.script, hashType)
    if (!innerHash) return false
    const der = signHash(key.privateKey, innerHash)
    rememberSignature(key.publicKey, der, innerHash)
    const signature = concatBytes([der, Uint8Array.of(hashType)])
    if (witness) input.witness = [signature, key.publicKey]
    else {
      const length = Uint8Array.of(signature.length)
      input.script = concatBytes([length, signature, Uint8Array.of(key.publicKey.length), key.publicKey])
    }
    return true
  }
}

/** What a map holds now; returns what makes it hold that again. */
function copyEntries<Value>(map: Map<string, Value>): () => void {
  const kept = new Map(map)
  return () => {
    map.clear()
    for (const [name, value] of kept) map.set(name, value)
  }
}
