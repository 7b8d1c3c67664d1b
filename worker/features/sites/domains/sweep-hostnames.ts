import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { selectSweepPosition, updateSweepPosition } from '../../../platform/d1/sweep-positions.ts'
import { deleteRemovedDomain, selectClaimedHosts } from '../sql/domains.ts'
import { deleteHostnameMark, type HostnameMark, listHostnameMarks } from '../sql/hostname-marks.ts'
import { countedFetch } from './counted-fetch.ts'
import { type CloudflareZone, findHostname, removeHostname } from './custom-hostnames.ts'

type Deps = { env: Pick<Env, 'DB' | 'BUCKET'>; config: Pick<Config, 'cloudflare'> }

/** The hour of the day, UTC, in which this is done. */
const HOUR_OF_DAY = 4
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Marks read in a run, and hostnames removed. */
const PER_RUN = 100
const REMOVED_PER_RUN = 5
const POSITION = 'hostnames/'

/**
 * Removes custom hostnames that this service made at Cloudflare and that no claim here accounts for, as after D1 was
 * restored: each night, some a minute, going on where the night before ended. What others made in the zone is not ours to
 * touch.
 */
export async function sweepHostnames({ env, config }: Deps, now: number): Promise<void> {
  const { cloudflare } = config
  if (!cloudflare || Math.floor((now % DAY) / HOUR) !== HOUR_OF_DAY) return
  const night = new Date(now).toISOString().slice(0, 10)
  // `<host>`, or `<host> <night>` where the last host was checked that night; no host has a space.
  const [after = '', done] = (await selectSweepPosition(env.DB, POSITION)).split(' ')
  if (done === night) return
  const { marks, last } = await listHostnameMarks(env.BUCKET, after, PER_RUN)
  // One that is being registered at this moment has its claim already; a day is for whoever repairs a database.
  const old = marks.filter(({ markedAt }) => markedAt < now - DAY)
  const claimed = await selectClaimedHosts(
    env.DB,
    old.map(({ host }) => host),
  )
  const without = old.filter(({ host }) => !claimed.has(host))
  const removed = without.slice(0, REMOVED_PER_RUN)
  for (const mark of removed) await removeUnclaimed(env, cloudflare, mark)
  if (removed.length < without.length) await updateSweepPosition(env.DB, POSITION, removed.at(-1)?.host ?? '')
  else await updateSweepPosition(env.DB, POSITION, last ? ` ${night}` : (marks.at(-1)?.host ?? ''))
}

/** What fails is tried again the next night. */
async function removeUnclaimed(
  { DB, BUCKET }: Deps['env'],
  zone: CloudflareZone,
  { host, id }: HostnameMark,
): Promise<void> {
  const fetcher = countedFetch(DB, 'job')
  try {
    const found = await findHostname(zone, host, fetcher)
    // Another id: somebody else has made it since.
    if (found && (id === undefined || found.id === id)) {
      await removeHostname(zone, found.id, fetcher)
      // Claimed at this very moment, it has to be registered again.
      await deleteRemovedDomain(DB, host, found.id)
      console.info('hostname_without_claim_removed', host)
    }
    await deleteHostnameMark(BUCKET, host)
  } catch (error) {
    console.error('hostname_not_removed', host, error)
  }
}
