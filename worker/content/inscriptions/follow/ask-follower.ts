import type { Blockchain } from '../../../../protocol/chains.ts'
import type { NamedSource } from '../../../../reader/inscriptions/read-named.ts'
import type { Env, FollowedParts } from '../../../platform/bindings.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** The one object that searches, so that there is one search at a time for a chain. */
const FOLLOWER = 'doginals'

/** The later transactions of doginals, for one request. */
export interface Follower {
  follow: NonNullable<NamedSource['follow']>
  /** What was found of the doginal with this first txid, if it was asked for. */
  foundOf(txid: string): FollowedParts | undefined
  /** What was found last. */
  last(): FollowedParts | undefined
}

/** Asks for the transactions of a doginal that are proven; `client`: the address that memory is reserved for. */
export function followerOf(env: Env, blockchain: Blockchain, client: string | undefined): Follower {
  const found = new Map<string, FollowedParts>()
  return {
    async follow(txid, missing) {
      const fetcher = env.CONTENT_FETCHER.getByName(FOLLOWER)
      const answer = await fetcher.followDoginal({ blockchain, txid, missing }, { client })
      if (answer.outcome === 'error') {
        throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
      }
      const { followed } = answer
      found.set(txid, followed)
      return followed.txids.slice(1, followed.proven)
    },
    foundOf: (txid) => found.get(txid),
    last: () => [...found.values()].at(-1),
  }
}

/** Why not all transactions of a doginal are shown, and what to do. */
export function explainEnd({ txids, proven, end }: FollowedParts): string {
  switch (end) {
    case 'complete':
      return ''
    case 'unproven':
      return `The next one, ${txids[proven]}, is not proven: its block is neither below the checkpoint, nor do six headers from it on have work. Ask again later.`
    case 'chain_ends':
      return 'No block has the next one yet. Ask again later.'
    case 'not_found':
      return 'The blocks that are searched do not have the next one.'
    case 'too_many':
      return 'A name has at most 120 transactions.'
    case 'not_mined':
      return 'No block has the first one yet. Ask again later.'
    case 'no_checkpoint':
      return 'This service has no checkpoint that would prove them, so it does not search for them.'
  }
}
