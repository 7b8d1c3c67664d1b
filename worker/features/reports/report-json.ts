import type { DeniedKind } from '../../../contract/states.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Report, ReportStatement } from './sql/reports.ts'

/** A report as a moderator sees it; `reason`, `evidence` and `oldest` are of the first who reported it. */
export function reportJson(
  report: Report,
  statements: readonly ReportStatement[],
  config: Pick<Config, 'baseUrl' | 'storageHost'>,
) {
  const { id, kind, value, blockchain, reports, status, decidedBy, decidedAt, decision } = report
  const given = statements.map(({ at, reason, evidence }) => ({ at: unixSeconds(at), reason, evidence }))
  return {
    id,
    kind,
    value,
    blockchain,
    reason: given[0]?.reason ?? '',
    evidence: given[0]?.evidence ?? null,
    reports,
    oldest: Number.parseInt(id.slice(0, 8), 16),
    status,
    url: placeOf(kind, value, blockchain, config),
    statements: given,
    decision: decidedAt === null ? null : { by: decidedBy, at: unixSeconds(decidedAt), reason: decision },
  }
}

/** Where the thing can be checked, on a host of its own; `null` for a transaction of no known chain. */
function placeOf(
  kind: DeniedKind,
  value: string,
  blockchain: string | null,
  { baseUrl, storageHost }: Pick<Config, 'baseUrl' | 'storageHost'>,
): string | null {
  if (kind === 'item') return `${baseUrl.protocol}//${value}.${storageHost}/`
  if (kind === 'cid') return `${baseUrl.protocol}//${storageHost}/ipfs/${value}`
  return blockchain && `${baseUrl.protocol}//${storageHost}/web/${blockchain}/${value}`
}
