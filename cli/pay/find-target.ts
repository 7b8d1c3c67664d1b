import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'

/** What the service says of a storage target; what it does not say is absent. */
export interface TargetFacts {
  /** The chain whose coins pay for it. */
  paidIn: string
  maxFiles?: number
  /** Bytes of one file. */
  maxFileBytes?: number
  /** Bytes of one file that cannot be compressed. */
  maxIncompressibleBytes?: number
  /** Usual minutes until something is stored. */
  minutes?: number
}

/**
 * Asks the service about a target. An older service that has no such answer is one that says nothing.
 * @throws {CommandError} 7 when the target cannot be had now
 */
export async function findTarget(client: Client, target: StorageTarget, signal: AbortSignal): Promise<TargetFacts> {
  const silent = { paidIn: target === 'IPFS' ? 'Nativecoin' : target }
  try {
    const { body } = await client.request({ method: 'GET', path: '/v0/targets', auth: false, signal })
    const entries = new Fields(body, 'The answer').list('targets', (entry) => new Fields(entry, 'The target'))
    const found = entries.find((entry) => entry.get('blockchain') === target)
    if (!found) return silent
    if (!found.flag('available')) {
      const reason =
        found.optionalString('reason') ?? found.optionalString('message') ?? 'The service does not say why.'
      throw new CommandError(EXIT.temporary, 'target_unavailable', `${target} cannot be had now. ${reason}`, {
        hint: 'Nothing was sent. Try again later, or choose another target.',
      })
    }
    const names = ['maxFiles', 'maxFileBytes', 'maxIncompressibleBytes', 'minutes'] as const
    const known = names.flatMap((name) => {
      const value = found.optionalNumber(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const paidIn = found.optionalString('paidIn') ?? silent.paidIn
    return { paidIn, ...Object.fromEntries(known) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return silent
    throw error
  }
}
