import { BLOCKCHAINS } from '../../../../protocol/chains.ts'
import { selectAdmissions } from '../../../content/cache/admissions.ts'
import { selectDenylistImport } from '../../../content/denylist/denylist-import.ts'
import type { Env } from '../../../platform/bindings.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { checkHealth } from '../../health/check-health.ts'
import { readDatabaseSize } from '../../health/database-size.ts'
import { selectOldestOpenReport } from '../../reports/sql/reports.ts'
import { differenceOf } from '../difference-of.ts'
import { describeChain } from '../operate-health.ts'
import { countFailedRecords, selectOldestWithdrawals } from '../sql/failed-records.ts'
import { selectReconciliations } from '../sql/reconciliations.ts'
import type { ChainFacts, Facts } from './signs.ts'

/** Reads what signs are decided by, from the database and the nodes; `now` in milliseconds. @throws where D1 fails. */
export async function readFacts(env: Env, failedJobs: readonly string[], now: number): Promise<Facts> {
  const config = readConfig(env)
  const { DB: db } = env
  const run = BLOCKCHAINS.filter((blockchain) => config.chains[blockchain].rpc.length > 0)
  const [health, size, counts, withdrawals, books, admitted, denylist, reportSince] = await Promise.all([
    checkHealth(env, now),
    readDatabaseSize(db, config.databaseBytes, now),
    countFailedRecords(db),
    selectOldestWithdrawals(db),
    selectReconciliations(db),
    selectAdmissions(db, now),
    selectDenylistImport(db),
    selectOldestOpenReport(db),
  ])
  const chains = run.map(async (blockchain): Promise<ChainFacts> => {
    const { reasons, stops, incidents } = await describeChain(env, blockchain, now)
    const countOf = (kind: string) =>
      counts.find((one) => one.blockchain === blockchain && one.kind === kind)?.count ?? 0
    const compared = books.find((one) => one.blockchain === blockchain)
    return {
      blockchain,
      health: health.chains[blockchain] ?? { status: 'down' },
      blockSeconds: config.chains[blockchain].blockSeconds,
      reason: reasons.work,
      walletReason: reasons.wallet,
      stopped: stops.map(({ part, reason }) => `${part}: ${reason}`),
      incidents: incidents.map(({ reason }) => reason),
      stoppedItems: countOf('stopped'),
      heldWithdrawals: countOf('held'),
      withdrawalSince: withdrawals.get(blockchain),
      books: compared && {
        readAt: compared.readAt,
        differ: differenceOf(compared) !== 0n,
        walletShort: compared.held < compared.owed,
      },
    }
  })
  const isSpent = (bytes: number) => config.cacheBytesPerHour > 0 && bytes >= config.cacheBytesPerHour
  return {
    now,
    failedJobs,
    storage: health.storage,
    database: size.state,
    daysLeft: size.daysLeft,
    mailWaits: health.mail === 'waits',
    denylistProblem: config.denylistUrl === undefined ? undefined : (denylist.problem ?? undefined),
    spentCaches: Object.entries(admitted).flatMap(([cache, bytes]) => (isSpent(bytes) ? [cache] : [])),
    reportSince,
    chains: await Promise.all(chains),
  }
}
