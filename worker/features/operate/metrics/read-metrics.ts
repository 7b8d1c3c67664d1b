import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'
import { selectTip } from '../../../chain/follower/blocks.ts'
import { selectChainState } from '../../../chain/follower/chain-states.ts'
import { selectStops } from '../../../chain/follower/stops.ts'
import { selectAdmissions } from '../../../content/cache/admissions.ts'
import type { Env } from '../../../platform/bindings.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { selectWaitingMails } from '../../../platform/records/mail-queue.ts'
import { readDatabaseSize } from '../../health/database-size.ts'
import { selectMinuteRun } from '../../health/minute-runs.ts'
import { selectBacklog } from '../../items/sql/write-backlog.ts'
import { selectAlerts } from '../sql/alerts.ts'
import { countFailedRecords } from '../sql/failed-records.ts'
import { selectReconciliations } from '../sql/reconciliations.ts'
import { type ChainRows, gaugesOf } from './gauges.ts'
import type { Gauge } from './metrics-text.ts'

/**
 * What the database says at `now` (milliseconds). Nothing that an isolate counts: a scrape reaches one of many, and its
 * counters would run backwards.
 */
export async function readMetrics(env: Env, now: number): Promise<Gauge[]> {
  const config = readConfig(env)
  const { DB: db } = env
  const [size, minuteRun, mails, records, books, alerts, admitted] = await Promise.all([
    readDatabaseSize(db, config.databaseBytes, now),
    selectMinuteRun(db),
    selectWaitingMails(db),
    countFailedRecords(db),
    selectReconciliations(db),
    selectAlerts(db),
    selectAdmissions(db, now),
  ])
  const run = BLOCKCHAINS.filter((chain) => config.chains[chain].rpc.length > 0)
  const chains = await Promise.all(run.map(async (chain) => await readChain(db, chain)))
  const commit = env.DEPLOYMENT?.tag ?? ''
  return gaugesOf({ commit, size, minuteRun, mails, records, books, alerts, admitted, chains }, now)
}

async function readChain(db: D1Database, chain: Blockchain): Promise<ChainRows> {
  const [tip, { steppedAt, tipAt }, { waiting, oldest }, stops] = await Promise.all([
    selectTip(db, chain),
    selectChainState(db, chain),
    selectBacklog(db, chain),
    selectStops(db, chain),
  ])
  const stopped = [...new Set(stops.map(({ part }) => part))]
  return { chain, height: tip?.height, steppedAt, tipAt, waiting, oldest, stopped }
}
