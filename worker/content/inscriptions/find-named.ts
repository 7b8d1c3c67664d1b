import { hash } from 'node:crypto'
import type { Blockchain } from '../../../protocol/chains.ts'
import { type ContentName, parseContentName } from '../../../protocol/inscriptions/content-name.ts'
import { type NamedSource, readNamed, readOwn, withBody } from '../../../reader/inscriptions/read-named.ts'
import { type NamedContent, withType } from '../../../reader/inscriptions/type-of-content.ts'
import { ReaderError } from '../../../reader/reader-error.ts'
import type { Env } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { NO_STORE } from '../../platform/http/policies.ts'
import type { CacheTier } from '../../platform/http/server-timing.ts'
import { getNamed, putNamed, recordNameOf } from './kept-named.ts'
import { wholeFrom } from './read-whole.ts'

/** @throws {AppError} 400 for what is no name; 404 on a chain of which this service does not read what others wrote. */
export function parseName(env: Env, blockchain: Blockchain, text: string): ContentName {
  const name = parseContentName(text)
  if (!name) throw invalidField('txids', 'must be transaction ids, or a name such as <txid>i0 or stamp:<txid>.')
  if (readConfig(env).inscriptions.includes(blockchain)) return name
  throw notFound(`This service does not read what others wrote on ${blockchain}.`)
}

/**
 * What a name names: from the bucket, or from the node, verified; with `isOwn` of an inscription its own body, whatever it
 * delegates to.
 * @throws {AppError} 404 where there is none, parts are missing, or it cannot be verified; 422, 502, 503, 504
 */
export async function findNamed(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  asked: { blockchain: Blockchain; name: ContentName; isOwn?: boolean | undefined },
): Promise<{ content: NamedContent; record: string; tier: CacheTier }> {
  const { blockchain, name, isOwn = false } = asked
  const record = recordNameOf(blockchain, name, isOwn)
  const kept = await getNamed(env.BUCKET, record, name)
  if (kept) return { content: kept, record, tier: 'r2' }
  const source = sourceOf(env, blockchain)
  const read = async () =>
    isOwn && name.kind === 'inscription'
      ? withBody(await readOwn(blockchain, name.id, source))
      : await readNamed(blockchain, name, source)
  const content = withType(await orAnswer(read))
  ctx.waitUntil(putNamed(env, record, name, content))
  return { content, record, tier: 'miss' }
}

/** What the names of a chain are read with, for one request. */
export function sourceOf(env: Env, blockchain: Blockchain): NamedSource {
  return { read: wholeFrom(readConfig(env).chains[blockchain]), sha256: (bytes) => hash('sha256', bytes, 'buffer') }
}

/** @throws {AppError} 404 in place of what a reader says */
export async function orAnswer<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof ReaderError ? asAnswer(error) : error
  }
}

function asAnswer({ code, message }: ReaderError): AppError {
  switch (code) {
    case 'incomplete':
      return new AppError(404, 'not_complete', message, UNSTORED)
    case 'not_verified':
      return new AppError(404, 'not_verified', message, UNSTORED)
    default:
      return notFound(message)
  }
}

const UNSTORED = { headers: { 'Cache-Control': NO_STORE } }

export function notFound(message: string): AppError {
  return new AppError(404, 'no_such_inscription', message, UNSTORED)
}
