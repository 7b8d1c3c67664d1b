import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './represent.ts'
import type { Representation } from './representation.ts'
import { formatMediaType } from './response-format.ts'

/** The last block of a path as it is (Trustless Gateway specification, block responses). */
export function representBlock({ url, resolved }: FoundContent): Representation {
  const { cid, block } = resolved.node
  const filename = url.searchParams.get('filename') ?? `${cid}.bin`
  return {
    status: 200,
    etag: `"${cid}.raw"`,
    headers: new Headers({
      'Content-Type': formatMediaType('raw'),
      'Content-Disposition': contentDisposition('attachment', filename),
    }),
    body: block,
  }
}
