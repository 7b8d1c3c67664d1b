import { classifyScript } from './address.ts'
import { type Coin, isUnspendable } from './chain.ts'
import { checkInput } from './check-input.ts'
import { checkReplacement } from './check-replacement.ts'
import { clusterOf } from './cluster.ts'
import { feeFor, formatMoney } from './fee-rate.ts'
import { type LedgerTransaction, outpoint } from './ledger-transaction.ts'
import type { Mempool } from './mempool.ts'
import type { MempoolEntry } from './mempool-entry.ts'
import type { NodeSettings, PackageLimit } from './node-settings.ts'
import { type AcceptanceContext, REJECT, type Rejection } from './rejection.ts'

/** A transaction that may enter the mempool; those in `replaces` are evicted first. */
export interface Acceptance {
  fee: bigint
  replaces: MempoolEntry[]
}

/** How a transaction is checked. */
interface AcceptanceOptions {
  reorganising?: boolean
  checked?: boolean
  inPackage?: boolean
}

const CARVE_OUT_BYTES = 10_000
const MANDATORY = 'mandatory-script-verify-flag-failed'
/** The one rule about signatures that is policy and not consensus. */
const HIGH_S = 'S value is unnecessarily high'

const verified = new WeakSet<LedgerTransaction>()

/**
 * Bitcoin Core's AcceptToMemoryPool: consensus rules first, then policy, in its order and with its words.
 * `reorganising`: the transaction is from a disconnected block, and package limits do not apply. `checked`: its
 * signatures were verified before. `inPackage`: the mempool's minimum fee applies to the package, not to this
 * transaction.
 */
export function acceptTransaction(
  transaction: LedgerTransaction,
  context: AcceptanceContext,
  { reorganising = false, checked = false, inPackage = false }: AcceptanceOptions = {},
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
  const underpaid = reorganising ? undefined : checkFee(transaction, fee, context, inPackage)
  const unsound = checkValues(transaction, coins, context)
  const dusty = settings.cluster && !reorganising ? checkEphemeral(transaction, fee, settings) : undefined
  const refused = settings.dialect === 'core' ? (unsound ?? dusty ?? underpaid) : (underpaid ?? unsound)
  if (refused) return refused

  const parents = mempool.parentsOf(transaction)
  if (!reorganising && !settings.cluster) {
    const tooLong = checkPackage(transaction, parents, conflicts, context)
    if (tooLong) return { reason: 'too-long-mempool-chain', details: tooLong, code: REJECT.nonstandard }
  }
  const replaces = [...mempool.descendantsOf(conflicts)]
  const unworthy = conflicts.size > 0 ? checkReplacement(transaction, fee, conflicts, replaces, context) : undefined
  if (unworthy) return unworthy
  if (settings.cluster && !reorganising && conflicts.size === 0 && isTooLarge(transaction, parents, settings.cluster)) {
    return { reason: 'too-large-cluster', code: REJECT.nonstandard }
  }

  if (!checked && !verified.has(transaction)) {
    for (const [index, coin] of coins.entries()) {
      const error = checkInput(transaction, index, coin)
      if (error) return badScript(error, transaction, index, settings)
    }
  }
  verified.add(transaction)
  return { fee, replaces }
}

function invalid(reason: string, details?: string): Rejection {
  return { reason, ...(details && { details }), code: REJECT.invalid }
}

function badScript(error: string, transaction: LedgerTransaction, index: number, settings: NodeSettings): Rejection {
  if (!settings.cluster) {
    return invalid(`${error.endsWith(HIGH_S) ? 'non-mandatory-script-verify-flag' : MANDATORY} (${error})`)
  }
  const { txid, wtxid, outpoints } = transaction
  const where = `input ${index} of ${txid} (wtxid ${wtxid}), spending ${outpoints[index]}`
  return invalid(`mempool-script-verify-flag-failed (${error})`, where)
}

/** Whether the cluster that the transaction would join exceeds the node's limits. */
function isTooLarge({ vsize }: LedgerTransaction, parents: ReadonlySet<MempoolEntry>, limit: PackageLimit): boolean {
  const cluster = clusterOf(parents)
  let bytes = vsize
  for (const { transaction } of cluster) bytes += transaction.vsize
  return cluster.size + 1 > limit.count || bytes > limit.bytes
}

/** Consensus rules that need only the transaction (CheckTransaction). */
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

/** Relay rules that need only the transaction (IsStandardTx). */
function checkStandard(transaction: LedgerTransaction, settings: NodeSettings): Rejection | undefined {
  const reject = (reason: string): Rejection => ({ reason, code: REJECT.nonstandard })
  if (transaction.version < 1 || transaction.version > (settings.dialect === 'core' ? 3 : 2)) return reject('version')
  if (transaction.weight > settings.maxStandardWeight) return reject('tx-size')
  if (!settings.address.hrp && transaction.inputs.some(({ witness }) => witness.length > 0)) {
    return reject('no-witness-yet')
  }
  if (transaction.inputs.some(({ script }) => script.length > 1650)) return reject('scriptsig-size')
  let dataOutputs = 0
  let dataBytes = 0
  let dustOutputs = 0
  for (const { script, value } of transaction.outputs) {
    const { type } = classifyScript(script)
    if (type === 'nonstandard' || (!settings.address.hrp && type.startsWith('witness'))) return reject('scriptpubkey')
    if (type === 'multisig') return reject('bare-multisig')
    if (type === 'nulldata') {
      dataBytes += script.length
      if (dataBytes > settings.maxDataScriptBytes) return reject(settings.cluster ? 'datacarrier' : 'scriptpubkey')
      dataOutputs++
    } else if (value < dustLimit(script, settings)) dustOutputs++
  }
  // Since Core 30 any number of data outputs shares one limit; before, one output was allowed.
  if (dataOutputs > 1 && !settings.cluster) return reject('multi-op-return')
  return dustOutputs > (settings.cluster ? 1 : 0) ? reject('dust') : undefined
}

/**
 * One output of dust is relayed if the transaction pays no fee, so that nobody mines it alone (PreCheckEphemeralTx).
 */
function checkEphemeral({ outputs }: LedgerTransaction, fee: bigint, settings: NodeSettings): Rejection | undefined {
  if (fee === 0n || !outputs.some(({ value, script }) => value < dustLimit(script, settings))) return undefined
  return { reason: 'dust', details: 'tx with dust output must be 0-fee', code: REJECT.nonstandard }
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

/**
 * Dogecoin Core 1.14 stores coins by transaction, so it knows a spent output if others of the transaction are unspent.
 */
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

/** The consensus rule that the amounts violate, if any (CheckTxInputs). */
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
    return invalid(
      'bad-txns-in-belowout',
      `value in (${formatMoney(inputs, settings)}) < value out (${formatMoney(outputs, settings)})`,
    )
  }
  return undefined
}

function checkFee(
  transaction: LedgerTransaction,
  fee: bigint,
  { settings, mempool }: AcceptanceContext,
  inPackage: boolean,
): Rejection | undefined {
  const room = feeFor(mempool.minFeeRate, transaction.vsize, settings)
  const full = { reason: 'mempool min fee not met', details: `${fee} < ${room}`, code: REJECT.fee }
  const least = feeFor(settings.relayFeeRate, transaction.vsize, settings)
  if (settings.dust) {
    if (fee < room) return full
    // In Dogecoin old, large coins may pay less by priority, and the fee for soft dust is enforced by peers only: such
    // a transaction is accepted by one node and relayed by none. Here it is rejected at once.
    if (fee < least) return { reason: 'insufficient priority', code: REJECT.fee }
    const { soft } = settings.dust
    const small = transaction.outputs.filter(({ value, script }) => value < soft && !isUnspendable(script)).length
    const refused = fee < least + soft * BigInt(small)
    return refused ? { reason: 'rate limited free transaction', code: REJECT.fee } : undefined
  }
  // A package cannot compensate this: the mempool could not be sure that the child stays.
  if (fee < least) return { reason: 'min relay fee not met', details: `${fee} < ${least}`, code: REJECT.fee }
  return fee < room && !inPackage ? { ...full, reconsiderable: true } : undefined
}

function checkPackage(
  transaction: LedgerTransaction,
  parents: ReadonlySet<MempoolEntry>,
  conflicts: ReadonlySet<MempoolEntry>,
  { mempool, settings }: AcceptanceContext,
): string | undefined {
  const { ancestors, descendants } = settings
  // Transactions that a replacement evicts do not count (Core before 31 ignores exactly one conflict without children).
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
