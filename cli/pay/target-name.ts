import { STORAGE_TARGETS, type StorageTarget } from '../../protocol/chains.ts'
import type { ParsedLine } from '../parse/parse-command-line.ts'
import { usageError } from '../run/command-error.ts'

/** The storage target as the API writes it; the command takes any capitals. @throws {CommandError} 2 */
export function targetName(text: string): StorageTarget {
  const target = STORAGE_TARGETS.find((name) => name.toLowerCase() === text.toLowerCase())
  if (!target) throw usageError(`There is no storage target ${JSON.stringify(text)}.`)
  return target
}

/** What amounts of a chain are called. */
export function coinName(chain: string): string {
  const names: Record<string, string> = { Bitcoin: 'BTC', Dogecoin: 'DOGE', Nativecoin: 'NTC' }
  return names[chain] ?? 'coins'
}

/** The option --to, which names the target. @throws {CommandError} 2 without it */
export function requireTarget(line: ParsedLine): StorageTarget {
  const text = line.value('to')
  if (text === undefined)
    throw usageError('Where to store is missing.', 'Give --to bitcoin, dogecoin, nativecoin or ipfs.')
  return targetName(text)
}
