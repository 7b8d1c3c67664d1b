import type { Config } from '../../../platform/config/config.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import type { DomainTarget } from '../sql/domains.ts'

/** A DNS record that proves a claim. */
export interface WantedRecord {
  type: 'CNAME' | 'TXT'
  name: string
  content: string
}

/** The records of which one is enough: the CNAME, and the TXT record for an apex, which can have no CNAME. */
export function wantedRecords(
  host: string,
  { kind, id }: DomainTarget,
  { storageHost }: Pick<Config, 'storageHost'>,
): readonly [WantedRecord, WantedRecord] {
  return [
    { type: 'CNAME', name: host, content: `${id}.${hostName(storageHost)}` },
    { type: 'TXT', name: `_hookline.${host}`, content: `${kind}=${id}` },
  ]
}

/** A record in one line, as zone files have it. */
export function recordText({ type, name, content }: WantedRecord): string {
  return `${name} ${type} ${type === 'TXT' ? `"${content}"` : content}`
}
