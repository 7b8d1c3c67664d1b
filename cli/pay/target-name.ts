import { CHAINS, isBlockchain, STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'
import type { ParsedLine } from '../parse/parse-command-line.ts'
import { usageError } from '../run/command-error.ts'
import { anyOf, TARGETS } from '../table/options.ts'

/**
 * The storage target as the API spells it; the command ignores case.
 * @throws {CommandError} 2
 */
export function targetName(text: string): StorageTarget {
  const target = STORAGE_TARGETS.find((name) => name.toLowerCase() === text.toLowerCase())
  if (!target) throw usageError(`There is no storage target ${JSON.stringify(text)}.`)
  return target
}

/** The name of a chain's coin. */
export function coinName(chain: string): string {
  return isBlockchain(chain) ? CHAINS[chain].ticker : 'coins'
}

/**
 * The storage target from --to.
 * @throws {CommandError} 2 without it
 */
export function requireTarget(line: ParsedLine): StorageTarget {
  const text = line.value('to')
  if (text === undefined) throw usageError('The storage target is missing.', `Give --to ${anyOf(TARGETS)}.`)
  return targetName(text)
}
