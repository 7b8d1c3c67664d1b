import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'

/** What the service says about a storage target; unknown values are absent. */
export interface TargetFacts {
  /** The chain whose coins pay for it. */
  paidIn: string
  maxFiles?: number
  /** Limit of one file in bytes. */
  maxFileBytes?: number
  /** Limit of one file that cannot be compressed, in bytes. */
  maxIncompressibleBytes?: number
  /** Usual minutes until something is stored. */
  minutes?: number
}

/**
 * What the service says about a target; empty for an older service, which lacks this endpoint.
 * @throws {CommandError} 7 if the target is not available now
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
      throw new CommandError(EXIT.temporary, 'target_unavailable', `${target} is not available now. ${reason}`, {
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
