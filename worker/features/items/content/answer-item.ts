import type { Context } from 'hono'
import { isBlockchain } from '../../../../protocol/chains.ts'
import { typeOfBytes } from '../../../../reader/charset.ts'
import { listName, typeOfContent } from '../../../content/chain/content-record.ts'
import { openContentStore } from '../../../content/chain/content-store.ts'
import { decodedInMemory } from '../../../content/chain/decoded-content.ts'
import type { ContentRequest } from '../../../content/chain/parse-request.ts'
import { encodeFor, entityTag, noSuchTransaction } from '../../../content/chain/prepare-answer.ts'
import { encodeText } from '../../../content/encoding/encode-text.ts'
import { contentDisposition } from '../../../content/ipfs/formats/content-disposition.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { addressOf } from '../../../platform/http/limit-requests.ts'
import { chooseCoding } from '../../../platform/http/negotiate-encoding.ts'
import { IMMUTABLE_CONTENT } from '../../../platform/http/policies.ts'
import {
  prepareRepresentation,
  type Representation,
  respondPrepared,
  type SizedBody,
} from '../../../platform/http/respond.ts'
import { type CacheTier, serverTiming } from '../../../platform/http/server-timing.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { bindToItem } from './bind-to-item.ts'
import { nameType, RETYPED_CONTENT } from './retyped.ts'

/**
 * An item on a chain as the file that it is, for GET and HEAD: whole as stored Brotli where the client accepts it,
 * decoded otherwise, one range of the decoded bytes (RFC 9110, 14). 404 without a body when the chain lost it. `nameTag`
 * makes the entity tag that is sent of the content's own.
 * @throws {AppError} 422, 502, 503, 504.
 */
export async function answerItem(
  c: Context<AppEnv>,
  item: StoredItem,
  extraHeaders: Record<string, string>,
  nameTag: (etag: string) => string = (etag) => etag,
): Promise<Response> {
  const request = c.req.raw
  if (!isBlockchain(item.blockchain)) return noSuchTransaction()
  const asked = { blockchain: item.blockchain, txids: item.txids }
  const list = listName(asked)
  const brotli = chooseCoding(request) === 'br'
  const plain = brotli ? undefined : decodedInMemory(list)
  const found = plain
    ? {
        body: plain,
        encoded: false,
        ranges: true,
        type: typeOfBytes(item.mimetype, plain),
        tier: 'memory' as const,
        rpcMs: 0,
      }
    : await readBody(c, { ...asked, mimetype: item.mimetype }, brotli)
  if (!found) return noSuchTransaction()
  const { encoded, ranges, type } = found
  const headers = new Headers({
    'Cache-Control': item.typeChanges === 0 ? IMMUTABLE_CONTENT : RETYPED_CONTENT,
    ...extraHeaders,
    'Content-Type': type,
    'Content-Disposition': contentDisposition('inline', item.name),
    Vary: 'Accept-Encoding',
    ...(encoded ? { 'Content-Encoding': 'br' } : {}),
  })
  const etag = `"${entityTag(list)}${encoded ? '.br' : ''}"`
  const whole: Representation = { status: 200, headers, etag, body: found.body, ranges }
  const answer = encoded ? whole : await encodeText(request, whole, { name: list })
  const { again, body, otherEtags = [] } = answer

  const timed = (tier: CacheTier, rpcMs: number) => {
    const own = new Headers(headers)
    own.set('Server-Timing', serverTiming(tier, rpcMs))
    const named = (tag: string) => nameTag(nameType(item, tag))
    return prepareRepresentation({
      ...answer,
      headers: own,
      etag: named(answer.etag),
      otherEtags: otherEtags.map(named),
    })
  }
  if (body instanceof Uint8Array) {
    // What was decoded, or compressed, is in one cache, and is counted there.
    const decoded = decodedInMemory(list) === body
    const kept = again
      ? { read: again, bytes: 0 }
      : decoded
        ? { read: () => decodedInMemory(list), bytes: 0 }
        : { read: () => body, bytes: body.length }
    c.set('cacheable', { answer: timed('memory', 0), ...kept, txids: item.txids })
    bindToItem(c, item)
  }
  return respondPrepared(request, timed(found.tier, found.rpcMs))
}

async function readBody(
  c: Context<AppEnv>,
  { mimetype, ...asked }: ContentRequest & Pick<StoredItem, 'mimetype'>,
  brotli: boolean,
): Promise<
  | { body: Uint8Array | SizedBody; encoded: boolean; ranges: boolean; type: string; tier: CacheTier; rpcMs: number }
  | undefined
> {
  const request = c.req.raw
  const store = openContentStore({ env: c.env, ctx: c.executionCtx, client: addressOf(c) })
  const partial = request.method === 'GET' && request.headers.has('Range')
  const found = await store.read(asked, 'content', { part: partial && !brotli })
  if (!found) return undefined
  const source = store.decodingOf(asked, 'content')
  const { tier, rpcMs } = found
  const type = typeOfContent(mimetype, found.record.form)
  return { ...(await encodeFor(found.record, listName(asked), { brotli, partial, source })), type, tier, rpcMs }
}
