import type { Context } from 'hono'
import type { AppEnv } from '../app.ts'
import { readConfig } from '../bindings.ts'
import { matchesEtag } from '../content/etag.ts'
import { MemoryCache } from '../content/memory-cache.ts'
import { acceptsEncoding, clientAcceptEncoding } from '../content/negotiate-encoding.ts'
import { denylist, refuseDenied } from '../denylist.ts'
import { limitRequest } from '../limit-requests.ts'
import { BODY_LIMIT, parseJsonObject, readBody, requireJsonType } from '../read-json.ts'
import { contentKey } from './content-record.ts'
import { type ContentRequest, parseContentPath, parseContentRequest } from './parse-request.ts'
import { type AnswerForm, nothingFound, type PreparedAnswer, prepareAnswer } from './prepare-answer.ts'
import { type CacheTier, readContent } from './read-content.ts'
import { serverTiming } from './server-timing.ts'

interface WarmAnswer extends PreparedAnswer {
  txids: string[]
  /** The denylist that these txids were last held against. */
  allowedBy: number
}

/**
 * Whole answers by the exact text of the request: whoever sends the same text again is answered without
 * parsing, for the text was checked the first time.
 */
const warm = new MemoryCache<WarmAnswer>(16 << 20, 4 << 20)

/** Answers POST with a body `{blockchain, txids}`. */
export async function answerPost(c: Context<AppEnv>, form: AnswerForm): Promise<Response> {
  const text = new TextDecoder().decode(await readBody(c.req.raw, BODY_LIMIT.retrieval))
  requireJsonType(c.req.header('Content-Type'))
  return await answerText(c, form, text, () => parseContentRequest(parseJsonObject(text)))
}

/** Answers GET and HEAD with the chain and the txids in the path. */
export async function answerGet(
  c: Context<AppEnv>,
  form: AnswerForm,
  blockchain: string,
  txids: string,
): Promise<Response> {
  return await answerText(c, form, `${blockchain}/${txids}`, () => parseContentPath(blockchain, txids))
}

async function answerText(
  c: Context<AppEnv>,
  form: AnswerForm,
  text: string,
  parse: () => ContentRequest,
): Promise<Response> {
  const request = c.req.raw
  const brotli = form === 'web' && acceptsEncoding(clientAcceptEncoding(request), 'br')
  const name = `${form}${brotli ? '.br' : ''} ${text}`
  const pending = denylist(c.env, c.executionCtx)
  const denied = pending instanceof Promise ? await pending : pending
  const known = warm.get(name)
  if (known) {
    if (known.allowedBy !== denied.version) {
      refuseDenied(denied, known)
      known.allowedBy = denied.version
    }
    return respond(request, known, 'memory', 0)
  }
  await limitRequest(c)
  const asked = parse()
  refuseDenied(denied, asked)
  const found = await readContent(c.env, c.executionCtx, asked, form === 'tx' ? 'tx' : 'content')
  if (!found) return nothingFound()
  const { maxDecodedBytes } = readConfig(c.env)
  const prepared = prepareAnswer(form, found.record, { name: contentKey(asked), brotli, maxDecodedBytes })
  const answer = { ...prepared, txids: asked.txids, allowedBy: denied.version }
  warm.set(name, answer, answer.body.length + name.length + 66 * asked.txids.length)
  return respond(request, answer, found.tier, found.rpcMs)
}

function respond(request: Request, { body, headers }: PreparedAnswer, tier: CacheTier, rpcMs: number): Response {
  const all = { ...headers, 'Server-Timing': serverTiming(tier, rpcMs) }
  if (request.method !== 'POST' && matchesEtag(request.headers.get('If-None-Match'), headers.ETag ?? '')) {
    return new Response(null, { status: 304, headers: all })
  }
  if (request.method === 'HEAD') {
    return new Response(null, { headers: { ...all, 'Content-Length': String(body.length) } })
  }
  // Stored Brotli must not be compressed a second time.
  return new Response(body, { headers: all, encodeBody: headers['Content-Encoding'] ? 'manual' : 'automatic' })
}
