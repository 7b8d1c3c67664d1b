import { TransactionError } from '../../protocol/transaction.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { DnsUnavailableError } from '../../worker/platform/dns/query-dns.ts'
import { AppError } from '../../worker/platform/http/errors.ts'

/** Code that reads what strangers write. */
export interface FuzzTarget {
  name: string
  /** Reads the input, and throws where it finds something that must not be. */
  run(input: Uint8Array): unknown
  /** Texts of the format that chance would take long to find. */
  words: readonly string[]
}

/** Runs a target; a refusal is an answer, and anything else that is thrown is a fault. */
export async function runTarget(target: Pick<FuzzTarget, 'run'>, input: Uint8Array): Promise<void> {
  try {
    await target.run(input)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

function isRefusal(error: unknown): boolean {
  return [AppError, TransactionError, ReaderError, DnsUnavailableError].some((kind) => error instanceof kind)
}

/** Says that something which always holds does not. */
export function require(holds: boolean, what: string): void {
  if (!holds) throw new Error(`It does not hold that ${what}.`)
}

export const textOf = (input: Uint8Array) => new TextDecoder().decode(input)
