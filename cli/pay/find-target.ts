import type { Client } from '../../client/create-client.ts'
import type { Target } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'

/**
 * What the service says about a storage target.
 * @throws {CommandError} 7 if the target is not available now
 */
export async function findTarget(client: Client, name: StorageTarget, signal: AbortSignal): Promise<Target> {
  const target = (await client.targets({ signal })).find(({ blockchain }) => blockchain === name)
  if (target?.available) return target
  const reason = target?.reason ?? 'The service does not say why.'
  throw new CommandError(EXIT.temporary, 'target_unavailable', `${name} is not available now. ${reason}`, {
    hint: 'Nothing was sent. Try again later, or choose another target.',
  })
}
