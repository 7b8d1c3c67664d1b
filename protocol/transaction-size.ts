import { pushPrefix } from './op-return.ts'

/** Kinds of output that the wallet signs for with a known number of bytes. */
type SpendableKind = 'p2wpkh' | 'p2pkh' | 'p2sh-p2wpkh' | 'p2tr'

/**
 * Weight of an input by what it spends (BIP 141): outpoint, sequence and script count four times, the witness once.
 * A signature is 72 bytes at most (low S), 64 for Schnorr; a public key 33. P2SH is counted as the wrapped P2WPKH
 * that wallets make.
 */
const INPUT_WEIGHT: Record<SpendableKind, number> = {
  p2wpkh: 4 * (36 + 1 + 4) + (1 + 1 + 72 + 1 + 33),
  p2pkh: 4 * (36 + 1 + (1 + 72 + 1 + 33) + 4) + 1,
  'p2sh-p2wpkh': 4 * (36 + 1 + 23 + 4) + (1 + 1 + 72 + 1 + 33),
  p2tr: 4 * (36 + 1 + 4) + (1 + 1 + 64),
}

function scriptKind(script: string): SpendableKind | undefined {
  if (/^0014[0-9a-f]{40}$/.test(script)) return 'p2wpkh'
  if (/^76a914[0-9a-f]{40}88ac$/.test(script)) return 'p2pkh'
  if (/^a914[0-9a-f]{40}87$/.test(script)) return 'p2sh-p2wpkh'
  if (/^5120[0-9a-f]{64}$/.test(script)) return 'p2tr'
  return undefined
}

/** Whether we can say how large an input that spends this script (hex) will be. */
export function isKnownScript(script: string): boolean {
  return scriptKind(script) !== undefined
}

/** Whether signing an input that spends this script (hex) leaves the txid as it was before (BIP 141). */
export function keepsTxid(script: string): boolean {
  const kind = scriptKind(script)
  return kind === 'p2wpkh' || kind === 'p2tr'
}

function compactSizeBytes(value: number): number {
  return value < 0xfd ? 1 : value <= 0xffff ? 3 : 5
}

/**
 * Virtual size, at most, of a transaction once it is signed: `spent` are the scripts (hex) of what it spends,
 * `outputs` the lengths in bytes of its own scripts.
 * @throws {RangeError} for a script whose signature is of no known size.
 */
export function transactionVsize(spent: readonly string[], outputs: readonly number[]): number {
  let weight = 4 * (4 + compactSizeBytes(spent.length) + compactSizeBytes(outputs.length) + 4)
  let witness = false
  for (const script of spent) {
    const kind = scriptKind(script)
    if (kind === undefined) throw new RangeError(`no known size of an input that spends ${script}`)
    weight += INPUT_WEIGHT[kind]
    if (kind !== 'p2pkh') witness = true
  }
  if (witness) weight += 2
  for (const length of outputs) weight += 4 * (8 + compactSizeBytes(length) + length)
  return Math.ceil(weight / 4)
}

/** Length of the OP_RETURN script that carries `dataBytes` bytes. */
export function dataScriptLength(dataBytes: number): number {
  return 1 + pushPrefix(dataBytes).length + dataBytes
}

/** A script like those of change: what each transaction of a tx chain spends and pays (hex). */
export function changeScriptLike(segwit: boolean): string {
  return segwit ? `0014${'00'.repeat(20)}` : `76a914${'00'.repeat(20)}88ac`
}

/** A payload whose script has the longest length and push prefixes that any has. */
const LONG_PAYLOAD = 1 << 20

/** The most virtual bytes of a transaction in a tx chain without its data. */
export function txChainOverheadVsize(segwit: boolean): number {
  const script = changeScriptLike(segwit)
  return transactionVsize([script], [dataScriptLength(LONG_PAYLOAD), script.length / 2]) - LONG_PAYLOAD
}

/**
 * Virtual bytes, at most, of opening a tx chain: a coin of any kind is spent, or split off another tx chain and spent later,
 * and its last change is a coin to be spent again one day.
 */
export function txChainOpeningVsize(segwit: boolean): number {
  const output = 8 + 1 + changeScriptLike(segwit).length / 2
  const input = Math.ceil(Math.max(...Object.values(INPUT_WEIGHT)) / 4)
  return output + input + Math.ceil(INPUT_WEIGHT[segwit ? 'p2wpkh' : 'p2pkh'] / 4)
}

/** The fee of `vsize` virtual bytes at `feeRate` base units per 1,000, rounded up. */
export function feeFor(vsize: number, feeRate: bigint): bigint {
  return (BigInt(vsize) * feeRate + 999n) / 1000n
}
