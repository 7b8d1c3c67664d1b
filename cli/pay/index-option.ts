import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'

/**
 * True for `--index`, false for `--no-index`, undefined for neither.
 * @throws {CommandError} for both
 */
export function readIndexOption({ line }: Pick<Context, 'line'>): boolean | undefined {
  const [wanted, unwanted] = [line.has('index'), line.has('no-index')]
  if (wanted && unwanted) throw usageError('--index and --no-index exclude each other.')
  return wanted || unwanted ? wanted : undefined
}
