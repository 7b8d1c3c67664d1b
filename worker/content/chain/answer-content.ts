import type { Context } from 'hono'
import { parseCid } from '../../../protocol/cid.ts'
import { type ContentIndex, startsLikeIndex } from '../../../protocol/content-index.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { addressOf, limitRequest } from '../../platform/http/limit-requests.ts'
import { BYTES_TYPE } from '../../platform/http/media-types.ts'
import { chooseCoding } from '../../platform/http/negotiate-encoding.ts'
import { decodeJson, parseJsonObject } from '../../platform/http/parse-json.ts'
import { BODY_LIMIT, readBody, requireJsonType } from '../../platform/http/read-body.ts'
import { prepareRepresentation, respondPrepared } from '../../platform/http/respond.ts'
import { type CacheTier, serverTiming } from '../../platform/http/server-timing.ts'
import { type Denylist, denylist, refuseDenied } from '../denylist/denylist.ts'
import { encodeText } from '../encoding/encode-text.ts'
import { type ContentRecord, listName, rootText, typeOfContent } from './content-record.ts'
import { openContentStore } from './content-store.ts'
import { type ContentRequest, parseContentPath, parseContentRequest } from './parse-request.ts'
import { type AnswerForm, noSuchTransaction, prepareAnswer } from './prepare-answer.ts'

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
  const { denied, asked, client, store } = await openRequest(c, () => parseContentPath(blockchain, txids))
  const { answerBelow } = await import('../site/answer-site.ts')
  const lone = asked.txids.length === 1 ? await store.read(asked, 'content') : undefined
  const opened = lone && (await openIfIndex(c, { asked, client }, lone.record, denied))
  if (opened === 'missing') return noSuchTransaction()
  const parts = opened?.parts ?? asked
  const content = { env: c.env, asked: parts, list: listName(parts), client, ...(opened ? { index: asked.txids } : {}) }
  return await answerBelow(c, content, async () => {
    const found = opened || !lone ? await store.read(parts, 'content') : lone
    return found && rootText(found.record.form) !== ''
  })
}

/** What is asked for, once it is counted and where it is not denied, and the store to read it from. @throws {AppError} */
async function openRequest(c: Context<AppEnv>, parse: () => ContentRequest) {
  const { env, executionCtx: ctx } = c
  const denied = await denylist(env, ctx)
  await limitRequest(c, 'read')
  const asked = parse()
  refuseDenied(denied, asked)
  const client = addressOf(c)
  return { denied, asked, client, store: openContentStore({ env, ctx, client }) }
}

/** The content of an index transaction that is requested alone (docs/formats.md). @throws {AppError} */
async function openIfIndex(
  { env }: Context<AppEnv>,
  { asked, client }: { asked: ContentRequest; client: string | undefined },
  record: ContentRecord,
  denied: Denylist,
) {
  const { body } = record
  if (!mayBeIndex(asked, record) || !(body instanceof Uint8Array)) return undefined
  const { openIndex } = await import('./open-index.ts')
  const { maxDecodedBytes } = readConfig(env)
  return await openIndex(env, { asked, body, client }, maxDecodedBytes, (parts) => refuseDenied(denied, parts))
}

async function answerText(
  c: Context<AppEnv>,
  form: AnswerForm,
  text: string,
  parse: () => ContentRequest,
): Promise<Response> {
  const request = c.req.raw
  const { denied, asked, client, store } = await openRequest(c, parse)
  const kind = form === 'tx' ? 'tx' : 'content'
  // A range is of the content as it is.
  const partial = request.method === 'GET' && request.headers.has('Range')
  const part = form === 'web' && partial && chooseCoding(request) === 'identity'
  const lone = await store.read(asked, kind, { part })
  if (!lone) return noSuchTransaction()
  const posted = request.method === 'POST'
  const raw = form === 'web' && !posted && mayBeIndex(asked, lone.record) && c.req.query('raw') === '1'
  const opened = form === 'web' && !raw ? await openIfIndex(c, { asked, client }, lone.record, denied) : undefined
  if (opened === 'missing') return noSuchTransaction()
  const subject = opened?.parts ?? asked
  const list = listName(subject)
  const found = opened ? await store.read(subject, kind, { part: part && opened.encoding === 'br' }) : lone
  if (!found) return noSuchTransaction()
  const record = opened ? describedByIndex(found.record, opened) : found.record
  const txids = opened ? [...asked.txids, ...subject.txids] : asked.txids
  const root = form === 'tx' ? undefined : parseCid(rootText(record.form))
  if (root) refuseDenied(denied, { cids: [root] })
  if (form === 'web' && rootText(record.form) !== '') {
    const { answerSite } = await import('../site/answer-site.ts')
    const index = opened ? { index: asked.txids } : {}
    const page = await answerSite(c, { env: c.env, asked: subject, list, client, ...index }, text)
    if (page) return page
  }
  const brotli = form === 'web' && chooseCoding(request) === 'br'
  const source = store.decodingOf(subject, kind)
  const prepared = await prepareAnswer(form, record, { name: list, brotli, partial, source })
  // What is posted for is a page, no matter what the index says.
  if (raw || (opened && !posted))
    prepared.headers.set('Content-Type', typeOfContent(opened?.type ?? BYTES_TYPE, record.form))
  const encodes = form === 'web' && !raw && !prepared.headers.has('Content-Encoding')
  // An index may say that its parts are plain bytes where they are Brotli.
  const name = record === found.record ? list : `${list} as stored`
  const answer = encodes ? await encodeText(request, prepared, { name }) : prepared
  const timed = (tier: CacheTier, rpcMs: number) => {
    const headers = new Headers(answer.headers)
    headers.set('Server-Timing', serverTiming(tier, rpcMs))
    return prepareRepresentation({ ...answer, headers, ranges: !posted && answer.ranges !== false })
  }
  const cacheable = timed('memory', 0)
  const { body } = cacheable
  if (body instanceof Uint8Array) {
    c.set('cacheable', {
      answer: cacheable,
      ...(answer.again ? { read: answer.again, bytes: 0 } : { read: () => body, bytes: body.length }),
      text,
      txids,
      ...(root && { cids: [root] }),
    })
  }
  return respondPrepared(request, timed(found.tier, found.rpcMs))
}

/** Whether a record is the data of one transaction that begins like an index, which one request may ask for alone. */
function mayBeIndex({ txids }: ContentRequest, { body }: ContentRecord): boolean {
  return txids.length === 1 && body instanceof Uint8Array && startsLikeIndex(body)
}

/** The record of the parts as an index has it: `identity` is never decoded, even if it is valid Brotli. */
function describedByIndex(record: ContentRecord, { encoding }: Pick<ContentIndex, 'encoding'>): ContentRecord {
  return encoding === 'identity' && record.form.encoding !== 'identity'
    ? { body: record.body, form: { encoding } }
    : record
}
