import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { IPFS_REQUEST_LIMITS } from '../../../platform/config/fixed-limits.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { Budget } from '../../../platform/flow/budget.ts'
import { SlotQueue } from '../../../platform/flow/slot-queue.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { admitToCache } from '../../cache/admit-to-cache.ts'
import { type Denylist, refuseDenied } from '../../denylist/denylist.ts'
import { type BlockSource, openBlockStore } from './block-store.ts'
import { releaseWalkSlot } from './walk-slots.ts'

/** Work that a request may do without taking turns: some 8 ms at most, a directory of 3,000 entries. */
const FREE_WORK = 128
/** Leaves of 8 KiB are paid for by their bytes: 1 MiB of them is 8 ms at most. */
const WORK_PER_MIB = 128

/** Requests of this isolate that walk large or complex DAGs: a limited number runs at once, and a limited number waits. */
const walks = new SlotQueue(4, 64)

const RETRY_AFTER_SECONDS = 5

/**
 * The blocks that one request may read, none that is denied.
 * @throws {ConfigurationError}
 */
export function openBlocks(
  { env, ctx, client }: { env: Env; ctx: Pick<ExecutionContext, 'waitUntil'>; client?: string | undefined },
  denied: Denylist,
  onlyIfCached = false,
): BlockSource {
  const { ipfs } = readConfig(env)
  return openBlockStore({
    bucket: env.BUCKET,
    gateways: ipfs.gateways,
    admit: (bytes) => admitToCache(env, 'ipfs', bytes, now()),
    onlyIfCached,
    client,
    fetch: (input, init) => {
      releaseWalkSlot(ctx)
      return fetch(input, init)
    },
    waitUntil: (promise) => ctx.waitUntil(promise),
    refuse: (cid) => refuseDenied(denied, { cids: [cid] }),
    budget: openBudget(IPFS_REQUEST_LIMITS, () => releaseWalkSlot(ctx)),
  })
}

/** The budget of one request for IPFS content; `takesTurns` is called when it begins to wait among the large ones. */
export function openBudget(
  { maxWork, maxResponseBytes } = IPFS_REQUEST_LIMITS,
  takesTurns: () => void = () => {},
): Budget {
  const limits = { free: FREE_WORK, units: maxWork, unitsPerMib: WORK_PER_MIB, bytes: maxResponseBytes }
  return new Budget(limits, walks, {
    takesTurns,
    exceeded: () =>
      new AppError(
        422,
        'dag_too_large',
        'This needs more blocks, or has more bytes, than one request may ask for here. Ask for parts of it.',
      ),
    busy: () =>
      unavailable('too_many_walks', 'Too many large requests are being answered. Try again in a few seconds.', {
        retryAfter: RETRY_AFTER_SECONDS,
      }),
  })
}
