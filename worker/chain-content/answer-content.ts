import type { Context } from 'hono'
import { readConfig } from '../config/read-config.ts'
import { denylist, refuseDenied } from '../denylist/denylist.ts'
import type { AppEnv } from '../http/app-env.ts'
import { matchesEtag } from '../http/etag.ts'
import { limitRequest } from '../http/limit-requests.ts'
import { takesBrotli } from '../http/negotiate-encoding.ts'
import { BODY_LIMIT, decodeJson, parseJsonObject, readBody, requireJsonType } from '../http/read-body.ts'
import { serverTiming } from '../http/server-timing.ts'
import { keepWarm } from '../http/warm-answers.ts'
import { contentKey } from './content-record.ts'
import { type ContentRequest, parseContentPath, parseContentRequest } from './parse-request.ts'
import { type AnswerForm, nothingFound, prepareAnswer } from './prepare-answer.ts'
import { type CacheTier, readContent } from './read-content.ts'

/** Answers POST with a body `{blockchain, txids}`. */
export async function answerPost(c: Context<AppEnv>, form: AnswerForm): Promise<Response> {
  const body = await readBody(c.req.raw, BODY_LIMIT.retrieval)
  requireJsonType(c.req.header('Content-Type'), body.length)
  const text = decodeJson(body)
  return await answerText(c, form, text, () => parseContentRequest(parseJsonObject(text)))
}

/** Answers GET and HEAD with the chain and the txids in the path. */
export async function answerGet(
  c: Context<AppEnv>,
  form: AnswerForm,
  blockchain: string,
  txids: string,
): Promise<Response> {
  return await answerText(c, form, '', () => parseContentPath(blockchain, txids))
}

async function answerText(
  c: Context<AppEnv>,
  form: AnswerForm,
  text: string,
  parse: () => ContentRequest,
): Promise<Response> {
  const request = c.req.raw
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const asked = parse()
  refuseDenied(denied, asked)
  const key = contentKey(asked)
  const found = await readContent(c.env, c.executionCtx, asked, key, form === 'tx' ? 'tx' : 'content')
  if (!found) return nothingFound()
  const brotli = form === 'web' && takesBrotli(request)
  const { maxDecodedBytes } = readConfig(c.env)
  const prepared = prepareAnswer(form, found.record, { name: key, brotli, maxDecodedBytes })
  const describe = (tier: CacheTier, rpcMs: number) => ({
    ...prepared.headers,
    'Server-Timing': serverTiming(tier, rpcMs),
  })
  const { body } = prepared
  const warm = {
    headers: describe('memory', 0),
    txids: asked.txids,
    respond: (again: Request, headers: Headers) => respond(again, body, headers),
  }
  keepWarm(request, text, warm, body.length)
  return respond(request, body, new Headers(describe(found.tier, found.rpcMs)))
}

function respond(request: Request, body: Uint8Array, headers: Headers): Response {
  if (request.method !== 'POST' && matchesEtag(request.headers.get('If-None-Match'), headers.get('ETag') ?? '')) {
    return new Response(null, { status: 304, headers })
  }
  if (request.method === 'HEAD') {
    const response = new Response(null, { headers })
    response.headers.set('Content-Length', String(body.length))
    return response
  }
  // Stored Brotli must not be compressed a second time.
  return new Response(body, { headers, encodeBody: headers.has('Content-Encoding') ? 'manual' : 'automatic' })
}
