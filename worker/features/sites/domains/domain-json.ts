import { unixSecondsOrNull } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { ListedDomain } from '../sql/domain-lists.ts'
import { mergeSteps, parseSteps } from './domain-steps.ts'
import { recordText, wantedRecords } from './wanted-records.ts'

/** A host of a user as the API answers it; times in Unix seconds, `now` in milliseconds. */
export function domainJson(domain: ListedDomain, config: Pick<Config, 'storageHost'>, now: number) {
  const { host, kind, id, waitUntil } = domain
  const records = wantedRecords(host, domain, config)
  return {
    host,
    item: kind === 'item' ? id : null,
    site: kind === 'site' ? id : null,
    status: domain.waitUntil === null ? domain.status : now < domain.waitUntil ? 'waiting' : 'stopped',
    record: domain.waitUntil === null ? domain.record : recordText(records[0]),
    waitsUntil: unixSecondsOrNull(waitUntil),
    records,
    steps: mergeSteps(parseSteps(domain.steps), {}, now),
  }
}
