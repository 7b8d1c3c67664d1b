import type { Context, MiddlewareHandler } from 'hono'
import { toHex } from '../../../../protocol/bytes.ts'
import { now } from '../../../platform/clock.ts'
import { AppError, tooManyRequests } from '../../../platform/http/errors.ts'
import { setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT, readBody } from '../../../platform/http/read-body.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import type { CallerEnv } from '../require-token.ts'
import {
  answerKeyStatement,
  answerKeyStatements,
  claimKey,
  type KeyClaim,
  MAX_KEYS,
  releaseKey,
  type StoredAnswer,
  selectAnswer,
} from './idempotency-keys.ts'
import { parseIdempotencyKey } from './parse-idempotency-key.ts'

/**
 * The statements that store an answer, to be in the batch of what it reports: then both are written, or
 * neither. None for a request without a key. They fail the batch when the request counted as cut off and was begun again.
 */
export type RecordAnswer = (answer: Answered) => D1PreparedStatement[]

/** An answer before it is sent: `body` still to be written as JSON, or `json`, its text. */
type Answered = { status: number; body: unknown } | { status: number; json: string }

/** The context of handlers behind {@link idempotent}. */
export interface IdempotentEnv {
  Bindings: CallerEnv['Bindings']
  Variables: CallerEnv['Variables'] & { record: RecordAnswer }
}

/** Bytes of an answer that is stored, in UTF-8. */
const MAX_ANSWER = 64 * 1024
const HOUR_SECONDS = 3600
/** Seconds after which the answer of a running request may be there. */
const RETRY_AFTER = '2'

/**
 * Answers a POST with an `Idempotency-Key` once: the same request again, within 24 hours, gets the answer of the first,
 * and does nothing. What was refused is not stored, since it did nothing. Stands behind `requireToken`.
 *
 * A handler whose effect must not happen twice puts `c.get('record')(answer)` into the batch of that effect. One that
 * leaves things as they are when it is called twice need not: its answer is stored afterwards, and when it is cut off
 * before, it is called again. With `required`, a request without a key is refused.
 * @throws {AppError} 400, 409 while the first is running, 413 for a body above `limit`, 422 for another request, 429
 */
export function idempotent(
  limit: number = BODY_LIMIT.account,
  { required = false }: { required?: boolean } = {},
): MiddlewareHandler<IdempotentEnv> {
  return async function idempotent(c, next) {
    const given = c.req.header('Idempotency-Key')
    if (given === undefined) {
      if (required) throw keyMissing()
      c.set('record', () => [])
      return await next()
    }
    const body = await readBody(c.req.raw, limit)
    const { DB: db } = c.env
    const claim: KeyClaim = {
      userId: c.get('caller').userId,
      key: parseIdempotencyKey(given),
      request: await fingerprint(c.req.raw, body),
      attempt: crypto.randomUUID(),
    }
    const { stored, keys } = await claimFor(db, claim)
    setRateLimitHeaders(c, { name: 'idempotency', left: MAX_KEYS - keys })
    if (stored) return replay(stored)
    c.req.raw = new Request(c.req.raw, { body })
    c.set('record', (answer) => {
      const text = 'json' in answer ? answer.json : JSON.stringify(answer.body)
      return answerKeyStatements(db, claim, { status: answer.status, body: checkedText(text) })
    })
    await next()
    await storeOutcome(c, claim)
    return undefined
  }
}

function keyMissing(): AppError {
  const message =
    'Send an Idempotency-Key of your choice, and the same one where you send this again: money moves once then.'
  return new AppError(400, 'idempotency_key_missing', message)
}

/** The answer that is there already; nothing when the request is to be worked on. @throws {AppError} */
async function claimFor(db: D1Database, claim: KeyClaim): Promise<{ stored: StoredAnswer | undefined; keys: number }> {
  const outcome = await claimKey(db, claim, now())
  switch (outcome.state) {
    case 'claimed':
      return { stored: undefined, keys: outcome.keys }
    case 'answered':
      return { stored: outcome.answer, keys: outcome.keys }
    case 'running':
      throw new AppError(409, 'request_running', 'The first request with this Idempotency-Key is still running.', {
        headers: { 'Retry-After': RETRY_AFTER },
      })
    case 'reused':
      throw new AppError(422, 'key_reused', 'This Idempotency-Key was sent with another request. Use a new one.')
    case 'full':
      throw tooManyRequests(HOUR_SECONDS, 'You have used too many Idempotency-Keys in a day.', 'idempotency')
  }
}

/** Stores what was answered, where its effect's batch has not; frees the key of what was refused. */
async function storeOutcome(c: Context<IdempotentEnv>, claim: KeyClaim): Promise<void> {
  const { DB: db } = c.env
  try {
    const { status } = c.res
    if (status < 400 || status === 402) {
      const body = await c.res.clone().text()
      if (isStorable(body)) await answerKeyStatement(db, claim, { status, body }).run()
      else await releaseKey(db, claim)
      return
    }
    if (await releaseKey(db, claim)) return
    // The database did it, and only its reply was lost.
    const stored = await selectAnswer(db, claim)
    if (!stored) return
    // Hono carries the headers of the answer before over to the next.
    c.res = undefined
    c.res = replay(stored)
  } catch (error) {
    // The answer is still true; the key is free again once the attempt counts as cut off.
    logOnceAMinute('error', 'idempotency_key_not_kept', error)
  }
}

function replay({ status, body }: StoredAnswer): Response {
  const headers = { 'Idempotent-Replayed': 'true' }
  if (body === '') return new Response(null, { status, headers })
  return new Response(body, { status, headers: { ...headers, 'Content-Type': JSON_TYPE } })
}

function isStorable(body: string): boolean {
  return new TextEncoder().encode(body).length <= MAX_ANSWER
}

function checkedText(body: string | undefined): string {
  const text = body ?? ''
  if (!isStorable(text)) throw new RangeError('the answer is too long to be stored under an Idempotency-Key')
  return text
}

async function fingerprint({ method, url }: Request, body: Uint8Array): Promise<string> {
  const { pathname, search } = new URL(url)
  const head = new TextEncoder().encode(`${method} ${pathname}${search}\n`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
