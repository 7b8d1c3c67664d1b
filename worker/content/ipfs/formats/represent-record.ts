import { createHash } from 'node:crypto'
import { SANDBOX } from '../../../platform/http/policies.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import type { IpnsRecord } from '../names/fetch-ipns-record.ts'
import { contentDisposition } from './content-disposition.ts'
import { formatMediaType } from './response-format.ts'

/** A signed IPNS record, for the client to verify (Trustless Gateway specification, IPNS record responses). */
export function representRecord(record: IpnsRecord, name: string, query: URLSearchParams): Representation {
  const digest = createHash('sha256').update(record.bytes).digest('hex').slice(0, 32)
  return {
    status: 200,
    etag: `"${digest}.ipns-record"`,
    headers: new Headers({
      'Content-Type': formatMediaType('ipns-record'),
      'Content-Disposition': contentDisposition('attachment', query.get('filename') ?? `${name}.ipns-record`),
      'Cache-Control': `public, max-age=${record.ttl}`,
      'Content-Security-Policy': SANDBOX,
    }),
    body: record.bytes,
  }
}
