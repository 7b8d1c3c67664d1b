import { classifyScript } from './address.ts'
import { type Chain, type Coin, isUnspendable } from './chain.ts'
import { checkInput } from './check-input.ts'
import { type LedgerTransaction, outpoint } from './ledger-transaction.ts'
import type { Mempool, MempoolEntry } from './mempool.ts'
import type { NodeSettings } from './node-settings.ts'

/** Bitcoin's reject codes (BIP 61, and above 255 Core's own), which Dogecoin Core still writes before its reasons. */
const REJECT = { invalid: 16, duplicate: 18, nonstandard: 64, fee: 66, alreadyKnown: 257, conflict: 258 } as const

/** Why a node does not take a transaction: Bitcoin Core's reason, its details, and the old reject code. */
export interface Rejection {
  reason: string
  details?: string
  code: number
  missingInputs?: boolean
}

/** What a transaction meets: the chain, what waits, and the rules. `time` is Unix seconds. */
export interface AcceptanceContext {
  chain: Chain
  mempool: Mempool
  settings: NodeSettings
  time: number
}

/** A transaction that may enter; `replaces` has to leave first. */
export interface Acceptance {
  fee: bigint
  replaces: MempoolEntry[]
}

const MAX_REPLACED = 100
const CARVE_OUT_BYTES = 10_000
const MANDATORY = 'mandatory-script-verify-flag-failed'
/** The one rule about signatures that is policy and not consensus. */
const HIGH_S = 'S value is unnecessarily high'

const verified = new WeakSet<LedgerTransaction>()

/**
 * Bitcoin Core's AcceptToMemoryPool: consensus first, then policy, in its order and its words. With `reorganising`
 * the transaction comes back from a block taken off, and the package limits are not asked. `checked` says that its signatures were found good before.
 */
export function acceptTransaction(
  transaction: LedgerTransaction,
  context: AcceptanceContext,
  { reorganising = false, checked = false }: { reorganising?: boolean; checked?: boolean } = {},
): Acceptance | Rejection {
  const { chain, mempool, settings } = context
  const malformed =
    checkTransaction(transaction, settings.maxMoney) ?? (transaction.coinbase ? invalid('coinbase') : undefined)
  if (malformed) return malformed
  const nonstandard = checkStandard(transaction, settings)
  if (nonstandard) return nonstandard
  if (transaction.strippedSize < 65) return { reason: 'tx-size-small', code: REJECT.nonstandard }
  if (!isFinal(transaction, context)) return { reason: 'non-final', code: REJECT.nonstandard }
  if (mempool.entries.has(transaction.txid)) return { reason: 'txn-already-in-mempool', code: REJECT.alreadyKnown }

  const conflicts = new Set<MempoolEntry>()
  for (const name of transaction.outpoints) {
    const conflict = mempool.spenders.get(name)
    if (!conflict) continue
    if (settings.replacement === 'signalled' && !signalsReplacement(conflict, mempool)) {
      return { reason: 'txn-mempool-conflict', code: REJECT.conflict }
    }
    conflicts.add(conflict)
  }

  const coins: Coin[] = []
  for (const [index, name] of transaction.outpoints.entries()) {
    const coin = chain.coins.get(name) ?? mempoolCoin(transaction, index, context)
    if (coin) coins.push(coin)
    else if (transaction.outputs.some((_, vout) => chain.coins.has(outpoint(transaction.txid, vout)))) {
      return { reason: 'txn-already-known', code: REJECT.alreadyKnown }
    } else return missingInput(transaction, index, context)
  }

  const fee =
    coins.reduce((sum, { value }) => sum + value, 0n) - transaction.outputs.reduce((sum, { value }) => sum + value, 0n)
  const underpaid = reorganising ? undefined : checkFee(transaction, fee, context)
  const unsound = checkValues(transaction, coins, context)
  const refused = settings.dialect === 'core' ? (unsound ?? underpaid) : (underpaid ?? unsound)
  if (refused) return refused

  const parents = mempool.parentsOf(transaction)
  if (!reorganising) {
    const tooLong = checkPackage(transaction, parents, conflicts, context)
    if (tooLong) return { reason: 'too-long-mempool-chain', details: tooLong, code: REJECT.nonstandard }
  }
  const replaces = [...mempool.descendantsOf(conflicts)]
  const unworthy = conflicts.size > 0 ? checkReplacement(transaction, fee, conflicts, replaces, context) : undefined
  if (unworthy) return unworthy

  if (!checked && !verified.has(transaction)) {
    for (const [index, coin] of coins.entries()) {
      const error = checkInput(transaction, index, coin)
      if (error) return invalid(`${error.endsWith(HIGH_S) ? 'non-mandatory-script-verify-flag' : MANDATORY} (${error})`)
    }
  }
  verified.add(transaction)
  return { fee, replaces }
}

function invalid(reason: string, details?: string): Rejection {
  return { reason, ...(details && { details }), code: REJECT.invalid }
}

/** Rules of consensus that need nothing but the transaction (CheckTransaction). */
function checkTransaction(transaction: LedgerTransaction, maxMoney: bigint): Rejection | undefined {
  const { inputs, outputs, outpoints } = transaction
  if (inputs.length === 0) return invalid('bad-txns-vin-empty')
  if (outputs.length === 0) return invalid('bad-txns-vout-empty')
  if (transaction.strippedSize * 4 > 4_000_000) return invalid('bad-txns-oversize')
  let total = 0n
  for (const { value } of outputs) {
    if (value >= 1n << 63n) return invalid('bad-txns-vout-negative')
    total += value
    if (value > maxMoney) return invalid('bad-txns-vout-toolarge')
    if (total > maxMoney) return invalid('bad-txns-txouttotal-toolarge')
  }
  if (new Set(outpoints).size !== outpoints.length) return invalid('bad-txns-inputs-duplicate')
  if (!transaction.coinbase && inputs.some(({ vout, txid }) => vout === 0xffffffff && /^0+$/.test(txid))) {
    return invalid('bad-txns-prevout-null')
  }
  return undefined
}

/** Rules of relay that need nothing but the transaction (IsStandardTx). */
function checkStandard(transaction: LedgerTransaction, settings: NodeSettings): Rejection | undefined {
  const reject = (reason: string): Rejection => ({ reason, code: REJECT.nonstandard })
  if (transaction.version < 1 || transaction.version > (settings.dialect === 'core' ? 3 : 2)) return reject('version')
  if (transaction.weight > settings.maxStandardWeight) return reject('tx-size')
  if (!settings.address.hrp && transaction.inputs.some(({ witness }) => witness.length > 0)) {
    return reject('no-witness-yet')
  }
  if (transaction.inputs.some(({ script }) => script.length > 1650)) return reject('scriptsig-size')
  let dataOutputs = 0
  for (const { script, value } of transaction.outputs) {
    const { type } = classifyScript(script)
    if (type === 'nonstandard' || (!settings.address.hrp && type.startsWith('witness'))) return reject('scriptpubkey')
    if (type === 'multisig') return reject('bare-multisig')
    if (type === 'nulldata') {
      if (script.length > settings.maxDataScriptBytes) return reject('scriptpubkey')
      dataOutputs++
    } else if (value < dustLimit(script, settings)) return reject('dust')
  }
  return dataOutputs > 1 ? reject('multi-op-return') : undefined
}

/** The least value of an output that is relayed: what spending it would cost at 3 base units a vbyte (GetDustThreshold). */
export function dustLimit(script: Uint8Array, settings: NodeSettings): bigint {
  if (isUnspendable(script)) return 0n
  if (settings.dust) return settings.dust.hard
  const witness = classifyScript(script).type.startsWith('witness')
  const size = 8 + 1 + script.length + (witness ? 32 + 4 + 1 + 26 + 4 : 148)
  return BigInt(size) * 3n
}

function isFinal({ lockTime, inputs }: LedgerTransaction, { chain }: AcceptanceContext): boolean {
  if (lockTime === 0 || inputs.every(({ sequence }) => sequence === 0xffffffff)) return true
  return lockTime < (lockTime < 500_000_000 ? chain.height + 1 : chain.medianTime())
}

function signalsReplacement(entry: MempoolEntry, mempool: Mempool): boolean {
  for (const ancestor of mempool.ancestorsOf([entry])) {
    if (ancestor.transaction.inputs.some(({ sequence }) => sequence < 0xfffffffe)) return true
  }
  return false
}

function mempoolCoin(transaction: LedgerTransaction, index: number, context: AcceptanceContext): Coin | undefined {
  const input = transaction.inputs[index]
  const output = input && context.mempool.entries.get(input.txid)?.transaction.outputs[input.vout]
  if (!output || isUnspendable(output.script)) return undefined
  return { value: output.value, script: output.script, height: context.chain.height + 1, coinbase: false }
}

/** Dogecoin Core 1.14 still keeps its coins by transaction: it knows a spent output of one that has others left. */
function missingInput(
  transaction: LedgerTransaction,
  index: number,
  { chain, mempool, settings }: AcceptanceContext,
): Rejection {
  const { txid } = transaction.inputs[index] ?? { txid: '' }
  const outputs = mempool.entries.get(txid)?.transaction.outputs ?? chain.confirmed.get(txid)?.transaction.outputs ?? []
  const left = mempool.entries.has(txid) || outputs.some((_, vout) => chain.coins.has(outpoint(txid, vout)))
  if (settings.dialect === 'dogecoin' && left) return { reason: 'bad-txns-inputs-spent', code: REJECT.duplicate }
  return { reason: 'bad-txns-inputs-missingorspent', code: REJECT.invalid, missingInputs: true }
}

/** The rule of consensus that the amounts break, if any (CheckTxInputs). */
function checkValues(
  transaction: LedgerTransaction,
  coins: readonly Coin[],
  { chain, settings }: AcceptanceContext,
): Rejection | undefined {
  let inputs = 0n
  for (const coin of coins) {
    const depth = chain.height + 1 - coin.height
    if (coin.coinbase && depth < settings.coinbaseMaturity) {
      return invalid(
        'bad-txns-premature-spend-of-coinbase',
        settings.dialect === 'core' ? `tried to spend coinbase at depth ${depth}` : undefined,
      )
    }
    inputs += coin.value
  }
  const outputs = transaction.outputs.reduce((sum, { value }) => sum + value, 0n)
  if (inputs < outputs) {
    return invalid('bad-txns-in-belowout', `value in (${coins8(inputs)}) < value out (${coins8(outputs)})`)
  }
  return undefined
}

function coins8(units: bigint): string {
  return `${units / 100_000_000n}.${(units % 100_000_000n).toString().padStart(8, '0')}`
}

/** A rate's fee for a size, as Core rounds it before version 30: down, but never to nothing. */
export function feeFor(rate: bigint, vsize: number): bigint {
  const fee = (rate * BigInt(vsize)) / 1000n
  return fee === 0n && rate > 0n ? 1n : fee
}

function checkFee(
  transaction: LedgerTransaction,
  fee: bigint,
  { settings, mempool }: AcceptanceContext,
): Rejection | undefined {
  const room = feeFor(mempool.minFeeRate, transaction.vsize)
  if (fee < room) return { reason: 'mempool min fee not met', details: `${fee} < ${room}`, code: REJECT.fee }
  const least = feeFor(settings.relayFeeRate, transaction.vsize)
  if (settings.dust) {
    // Dogecoin lets old, large coins pay less by priority, and leaves the fee for soft dust to its peers: such a
    // transaction is taken by one node and relayed by none. Here it is refused at once.
    if (fee < least) return { reason: 'insufficient priority', code: REJECT.fee }
    const { soft } = settings.dust
    const small = transaction.outputs.filter(({ value, script }) => value < soft && !isUnspendable(script)).length
    const refused = fee < least + soft * BigInt(small)
    return refused ? { reason: 'rate limited free transaction', code: REJECT.fee } : undefined
  }
  if (fee >= least) return undefined
  return { reason: 'min relay fee not met', details: `${fee} < ${least}`, code: REJECT.fee }
}

function checkPackage(
  transaction: LedgerTransaction,
  parents: ReadonlySet<MempoolEntry>,
  conflicts: ReadonlySet<MempoolEntry>,
  { mempool, settings }: AcceptanceContext,
): string | undefined {
  const { ancestors, descendants } = settings
  // What a replacement throws out does not count (Core before 31 forgives exactly one conflict without children).
  const room = conflicts.size === 1 ? [...conflicts].reduce((sum, entry) => sum + entry.descendantCount, 0) : 0
  const forgiven = {
    count: descendants.count + (room === 1 ? 1 : 0),
    bytes: descendants.bytes + (room === 1 ? [...conflicts].reduce((sum, e) => sum + e.descendantBytes, 0) : 0),
  }
  const error = mempool.checkLimits(parents, transaction.vsize, ancestors, forgiven)
  if (!error || !settings.carveOut || transaction.vsize > CARVE_OUT_BYTES) return error
  const widened = { count: forgiven.count + 1, bytes: forgiven.bytes + CARVE_OUT_BYTES }
  const carved = mempool.checkLimits(parents, transaction.vsize, { ...ancestors, count: 2 }, widened)
  return carved ? error : undefined
}

/** Rules 2 to 5 of BIP 125, which full replacement keeps. */
function checkReplacement(
  transaction: LedgerTransaction,
  fee: bigint,
  conflicts: ReadonlySet<MempoolEntry>,
  replaces: readonly MempoolEntry[],
  { mempool, settings }: AcceptanceContext,
): Rejection | undefined {
  const { txid } = transaction
  const insufficient = (details: string): Rejection => ({ reason: 'insufficient fee', details, code: REJECT.fee })
  const gone = new Set(replaces)
  for (const ancestor of mempool.ancestorsOf(mempool.parentsOf(transaction))) {
    if (gone.has(ancestor)) {
      return invalid(
        'bad-txns-spends-conflicting-tx',
        `${txid} spends conflicting transaction ${ancestor.transaction.txid}`,
      )
    }
  }
  for (const { fee: oldFee, transaction: old } of conflicts) {
    if (fee * BigInt(old.vsize) <= oldFee * BigInt(transaction.vsize)) {
      const rate = (units: bigint, vsize: number) => `${coins8((units * 1000n) / BigInt(vsize))} BTC/kvB`
      return insufficient(
        `rejecting replacement ${txid}; new feerate ${rate(fee, transaction.vsize)} <= old feerate ${rate(oldFee, old.vsize)}`,
      )
    }
  }
  if (replaces.length > MAX_REPLACED) {
    const details = `rejecting replacement ${txid}; too many potential replacements (${replaces.length} > ${MAX_REPLACED})`
    return { reason: 'too many potential replacements', details, code: REJECT.nonstandard }
  }
  const known = new Set([...conflicts].flatMap(({ transaction: old }) => old.inputs.map((input) => input.txid)))
  for (const [index, { txid: parent }] of transaction.inputs.entries()) {
    if (mempool.entries.has(parent) && !known.has(parent)) {
      return {
        reason: 'replacement-adds-unconfirmed',
        details: `replacement ${txid} adds unconfirmed input, idx ${index}`,
        code: REJECT.nonstandard,
      }
    }
  }
  const oldFees = replaces.reduce((sum, entry) => sum + entry.fee, 0n)
  if (fee < oldFees) {
    return insufficient(
      `rejecting replacement ${txid}, less fees than conflicting txs; ${coins8(fee)} < ${coins8(oldFees)}`,
    )
  }
  const relay = feeFor(settings.incrementalFeeRate, transaction.vsize)
  if (fee - oldFees < relay) {
    return insufficient(
      `rejecting replacement ${txid}, not enough additional fees to relay; ${coins8(fee - oldFees)} < ${coins8(relay)}`,
    )
  }
  return undefined
}
