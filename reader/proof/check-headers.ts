import { reverseHex } from '../../protocol/transaction.ts'
import { type BlockHeader, HEADER_BYTES, highestTarget, readHeader, targetOf } from './block-header.ts'
import type { Checkpoint } from './checkpoint.ts'
import { workedHeader } from './merged-mining.ts'
import { refuse } from './refuse.ts'

/** How far a block's time may be from what is known, in seconds. */
const TIME_TOLERANCE = 2 * 3600

/** The proof of work of a chain. */
export interface Work {
  /** The hash of a header's 80 bytes that must not exceed the target, in the order in which it is computed. */
  hash(header: Uint8Array): Uint8Array
  /** The chain ID of merged mining; a chain without it has headers of 80 bytes alone. */
  chainId?: number | undefined
}

/** What headers are checked with. */
export interface HeaderRules {
  /** Without work that can be checked, the headers are linked only. */
  work: Work | undefined
  /** Without one, targets and times are not compared with anything. */
  checkpoint: Checkpoint | undefined
  /** Unix seconds. */
  now: number
}

/**
 * Checks a header and those after it: links, work, targets and times. Yields before each header whose work is hashed, so that
 * the caller may pause. @throws {ReaderError} `not_proven`
 */
export function* checkHeaders(headers: readonly Uint8Array[], rules: HeaderRules): Generator<void, void> {
  let previous: BlockHeader | undefined
  for (const bytes of headers) {
    const header = readHeader(bytes)
    if (previous && header.previous !== previous.hash) refuse(`Header ${header.hash} does not follow ${previous.hash}.`)
    if (rules.checkpoint) checkTarget(header, rules.checkpoint, rules.now)
    if (rules.work) {
      yield
      checkWork(bytes, header, rules.work)
    } else if (bytes.length !== HEADER_BYTES) {
      refuse(`A header of this chain has ${HEADER_BYTES} bytes, not ${bytes.length}.`)
    }
    previous = header
  }
}

function checkTarget({ hash, bits, time }: BlockHeader, checkpoint: Checkpoint, now: number): void {
  if (targetOf(bits) > highestTarget(checkpoint.bits)) {
    refuse(`Block ${hash} has less than a quarter of the checkpoint's difficulty.`)
  }
  if (time < checkpoint.time - TIME_TOLERANCE || time > now + TIME_TOLERANCE) {
    refuse(`Block ${hash} is of another time than that between the checkpoint and now.`)
  }
}

function checkWork(bytes: Uint8Array, { hash, bits }: BlockHeader, { hash: workHash, chainId }: Work): void {
  if (chainId === undefined && bytes.length !== HEADER_BYTES) refuse('Bytes follow the header.')
  const worked = chainId === undefined ? bytes : workedHeader(bytes, chainId)
  if (BigInt(`0x${reverseHex(workHash(worked))}`) > targetOf(bits)) refuse(`Block ${hash} has no proof of work.`)
}
