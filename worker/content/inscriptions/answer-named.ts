import type { Context } from 'hono'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { txidsOf } from '../../../protocol/inscriptions/content-name.ts'
import type { NamedContent } from '../../../reader/inscriptions/type-of-content.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { memoryOf } from '../../platform/flow/memory-budget.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { addressOf, limitRequest } from '../../platform/http/limit-requests.ts'
import { chooseCoding } from '../../platform/http/negotiate-encoding.ts'
import { IMMUTABLE_CONTENT, SANDBOX } from '../../platform/http/policies.ts'
import { prepareRepresentation, type Representation, respondPrepared } from '../../platform/http/respond.ts'
import { type CacheTier, serverTiming } from '../../platform/http/server-timing.ts'
import { parseBlockchain } from '../chain/parse-request.ts'
import { entityTag } from '../chain/prepare-answer.ts'
import { denylist, refuseDenied } from '../denylist/denylist.ts'
import { encodeText } from '../encoding/encode-text.ts'
import { decodeNamed } from './decode-named.ts'
import { findNamed, parseName } from './find-named.ts'

/**
 * GET /v0/web/<chain>/<name>: content that others wrote, verified: an inscription, a doginal or a stamp (docs/formats.md); with
 * `isOwn` an inscription's own body, whatever it delegates to.
 * @throws {AppError} 400, 404, 406 for a content coding that is not decoded here, 422, 451, 502, 503, 504
 */
export async function answerNamed(
  c: Context<AppEnv>,
  chain: string,
  text: string,
  { isOwn }: { isOwn?: boolean } = {},
): Promise<Response> {
  const { env, executionCtx: ctx, req } = c
  const denied = await denylist(env, ctx)
  await limitRequest(c, 'read')
  const blockchain = parseBlockchain(chain)
  const name = parseName(env, blockchain, text)
  refuseDenied(denied, { txids: txidsOf(name) })
  const { content, record, tier } = await findNamed(env, ctx, { blockchain, name, isOwn, client: addressOf(c) })
  const { txids, type } = content
  refuseDenied(denied, { txids })
  const partial = req.method === 'GET' && req.raw.headers.has('Range')
  const brotli = content.encoding === 'br' && !partial && chooseCoding(req.raw) === 'br'
  const decoded = await decodedBody(c, content)
  // A denylist names files by the SHA-256 of their bytes, as CIDs of raw blocks do.
  const cids = await Promise.all([content.body, decoded].map(cidOf))
  refuseDenied(denied, { cids })
  const headers = new Headers({
    'Content-Type': type,
    'Cache-Control': IMMUTABLE_CONTENT,
    'Content-Security-Policy': SANDBOX,
    ...(content.encoding === undefined ? {} : { Vary: 'Accept-Encoding' }),
    ...(brotli ? { 'Content-Encoding': 'br' } : {}),
  })
  const etag = `"${entityTag(record)}${brotli ? '.br' : ''}"`
  const page = { status: 200 as const, headers, etag, body: brotli ? content.body : decoded }
  const answer = brotli ? page : await encodeText(req.raw, page, { name: record })
  const timed = (at: CacheTier): Representation => {
    const withTime = new Headers(answer.headers)
    withTime.set('Server-Timing', serverTiming(at))
    return { ...answer, headers: withTime }
  }
  const { body } = answer
  if (body instanceof Uint8Array) {
    const cacheable = prepareRepresentation({ ...timed('memory'), body })
    c.set('cacheable', { answer: cacheable, read: () => body, bytes: body.length, txids, cids })
  }
  return await respondPrepared(req.raw, prepareRepresentation(timed(tier)))
}

async function decodedBody(c: Context<AppEnv>, { body, encoding }: NamedContent): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === undefined || encoding === 'identity') return body
  const take = memoryOf(addressOf(c))
  const decoded = await decodeNamed(body, encoding, readConfig(c.env).maxDecodedBytes, take)
  if (decoded) return decoded
  const shown = JSON.stringify(encoding.slice(0, 50))
  throw new AppError(
    406,
    'format_not_available',
    `The content has the content coding ${shown}, which is not decoded here.`,
  )
}

async function cidOf(bytes: Uint8Array<ArrayBuffer>): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}
