import type { DeniedKind } from '../../../contract/states.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { parseCid } from '../../../protocol/cid.ts'
import { openContentStore } from '../../content/chain/content-store.ts'
import { fetcherOfTxid } from '../../content/chain/fetcher-name.ts'
import { denylist } from '../../content/denylist/denylist.ts'
import type { Env } from '../../platform/bindings.ts'
import { AppError, unavailable } from '../../platform/http/errors.ts'
import { COUNTED_LIMITS } from '../../platform/http/rate-limits.ts'
import { insertAttempt } from '../auth/sql/attempts.ts'
import { isStoredItem } from '../items/sql/stored-items.ts'
import { isSite } from '../sites/sql/sites.ts'
import { isOwnTransaction } from '../transactions/sql/transactions.ts'
import { isReported } from './sql/reported-things.ts'

/** Something that is reported, in its one spelling. */
export interface ReportedThing {
  kind: DeniedKind
  digest: string
  value: string
  blockchain: Blockchain | undefined
}

interface Service {
  env: Env
  ctx: Pick<ExecutionContext, 'waitUntil'>
  /** The network that asks; `undefined` where it is not known. */
  network: string | undefined
  /** Milliseconds. */
  now: number
}

/**
 * Whether what is reported exists: reported before, in the database or in the caches; else it is requested from a node or a
 * gateway, a limited number of times a minute for all, and for one network.
 * @throws {AppError} 502, 503 and 504 where that cannot be decided now.
 */
export async function isFoundAnywhere(service: Service, thing: ReportedThing): Promise<boolean> {
  const { DB } = service.env
  if (await isReported(DB, thing)) return true
  if (thing.kind === 'item') return (await isStoredItem(DB, thing.value)) || (await isSite(DB, thing.value))
  return thing.kind === 'txid' ? await findTransaction(service, thing) : await findBlock(service, thing.value)
}

async function findTransaction(service: Service, { value, blockchain }: ReportedThing): Promise<boolean> {
  const { env, ctx } = service
  const chains = blockchain ? [blockchain] : BLOCKCHAINS
  const fetcher = env.CONTENT_FETCHER.getByName(fetcherOfTxid(value))
  for (const chain of chains) {
    if (await isOwnTransaction(env.DB, chain, value)) return true
    if ((await fetcher.findPlaces(chain, [value])).length > 0) return true
  }
  await countLookup(service)
  const store = openContentStore({ env, ctx, client: undefined })
  const looks = await Promise.allSettled(
    chains.map(async (chain) => (await store.read({ blockchain: chain, txids: [value] }, 'tx')) !== undefined),
  )
  if (looks.some((look) => (look.status === 'fulfilled' ? look.value : isRefusedContent(look.reason)))) return true
  const failed = looks.find((look) => look.status === 'rejected')
  // Where no chain is named, one without a node is skipped; the others have answered.
  if (failed && (blockchain || looks.every((look) => look.status === 'rejected'))) throw failed.reason
  return false
}

// The blocks are loaded with the first report of a CID.
async function findBlock(service: Service, value: string): Promise<boolean> {
  const { env, ctx } = service
  const cid = parseCid(value)
  if (!cid) return false
  const { openBlocks } = await import('../../content/ipfs/blocks/open-blocks.ts')
  const denied = await denylist(env, ctx)
  const isIn = async (onlyIfCached: boolean) => {
    try {
      await openBlocks({ env, ctx }, denied, onlyIfCached).get(cid)
      return true
    } catch (error) {
      if (isRefusedContent(error)) return true
      const status = error instanceof AppError ? error.status : undefined
      if (status === 400 || status === 404 || status === 412) return false
      throw error
    }
  }
  if (await isIn(true)) return true
  await countLookup(service)
  return await isIn(false)
}

/** Whether an error is about content that is there: denied, or too large. */
function isRefusedContent(error: unknown): boolean {
  return error instanceof AppError && (error.status === 451 || error.status === 422)
}

/** @throws {AppError} 503 where no more may be looked up in this minute. */
async function countLookup({ env, network, now }: Service): Promise<void> {
  const attempt = { id: crypto.randomUUID(), kind: 'lookup', address: '', client: network ?? '', at: now } as const
  const limit = ({ most, seconds }: { most: number; seconds: number }) => ({ most, within: 1000 * seconds })
  const { written } = await insertAttempt(env.DB, attempt, [
    { by: ['address'], ...limit(COUNTED_LIMITS['report-lookups']) },
    ...(network === undefined
      ? []
      : [{ by: ['address', 'client'] as const, ...limit(COUNTED_LIMITS['report-lookups-network']) }]),
  ])
  if (written) return
  const message = 'Too many reports are being looked up right now. Send this one again in a minute.'
  throw unavailable('busy', message, { retryAfter: COUNTED_LIMITS['report-lookups'].seconds })
}
