import type { Context } from 'hono'
import { readConfig } from '../../platform/config/read-config.ts'
import { memoryOf } from '../../platform/flow/memory-budget.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { addressOf, limitRequest } from '../../platform/http/limit-requests.ts'
import { takesBrotli } from '../../platform/http/negotiate-encoding.ts'
import { decodeJson, parseJsonObject } from '../../platform/http/parse-json.ts'
import { BODY_LIMIT, readBody, requireJsonType } from '../../platform/http/read-body.ts'
import { prepareRepresentation, respondPrepared } from '../../platform/http/respond.ts'
import { type CacheTier, serverTiming } from '../../platform/http/server-timing.ts'
import { denylist, refuseDenied } from '../denylist/denylist.ts'
import { listName, rootText } from './content-record.ts'
import { openContentStore } from './content-store.ts'
import { type ContentRequest, parseContentPath, parseContentRequest } from './parse-request.ts'
import { type AnswerForm, nothingFound, prepareAnswer } from './prepare-answer.ts'

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

/**
 * Answers GET and HEAD with what a website has at the path below the chain and the txids, of which there are at most 100.
 * @throws {AppError} 404 where the content is no website.
 */
export async function answerPath(c: Context<AppEnv>, blockchain: string, txids: string): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const asked = parseContentPath(blockchain, txids)
  refuseDenied(denied, asked)
  const client = addressOf(c)
  const measuring = { maxDecodedBytes: readConfig(c.env).maxDecodedBytes, take: memoryOf(client) }
  const store = openContentStore({ env: c.env, ctx: c.executionCtx, client, measuring })
  const { answerBelow } = await import('../site/answer-site.ts')
  return await answerBelow(c, { env: c.env, asked, list: listName(asked), client }, async () => {
    const found = await store.read(asked, 'content')
    return found && rootText(found.record.form) !== ''
  })
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
  const client = addressOf(c)
  const { maxDecodedBytes } = readConfig(c.env)
  const measuring = { maxDecodedBytes, take: memoryOf(client) }
  const store = openContentStore({ env: c.env, ctx: c.executionCtx, client, measuring })
  const kind = form === 'tx' ? 'tx' : 'content'
  const found = await store.read(asked, kind)
  if (!found) return nothingFound()
  if (form === 'web' && rootText(found.record.form) !== '') {
    const { answerSite } = await import('../site/answer-site.ts')
    const page = await answerSite(c, { env: c.env, asked, list: listName(asked), client }, text)
    if (page) return page
  }
  // A range is of the content as it is.
  const partial = request.method === 'GET' && request.headers.has('Range')
  const brotli = form === 'web' && takesBrotli(request) && (request.method === 'POST' || !request.headers.has('Range'))
  const reopen = async () => (await store.read(asked, kind))?.record
  const source = { ...measuring, env: c.env, reopen }
  const answer = await prepareAnswer(form, found.record, { name: listName(asked), brotli, partial, source })
  const timed = (tier: CacheTier, rpcMs: number) => {
    const headers = new Headers(answer.headers)
    headers.set('Server-Timing', serverTiming(tier, rpcMs))
    return prepareRepresentation({ ...answer, headers, ranges: request.method !== 'POST' && answer.ranges !== false })
  }
  const warm = timed('memory', 0)
  const { body } = warm
  if (body instanceof Uint8Array) {
    c.set('warm', { answer: warm, read: () => body, bytes: body.length, text, txids: asked.txids })
  }
  return respondPrepared(request, timed(found.tier, found.rpcMs))
}
