import { hash } from 'node:crypto'
import type { Blockchain } from '../../../protocol/chains.ts'
import { type ContentName, parseContentName, txidsOf } from '../../../protocol/inscriptions/content-name.ts'
import { type NamedSource, readNamed, readOwn, withBody } from '../../../reader/inscriptions/read-named.ts'
import { type NamedContent, withType } from '../../../reader/inscriptions/type-of-content.ts'
import { ReaderError } from '../../../reader/reader-error.ts'
import type { Env, FollowedParts } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { NO_STORE } from '../../platform/http/policies.ts'
import type { CacheTier } from '../../platform/http/server-timing.ts'
import { explainEnd, type Follower, followerOf } from './follow/ask-follower.ts'
import { getSearch } from './follow/kept-search.ts'
import { endOf } from './follow/search-doginal.ts'
import { getNamed, putNamed, recordNameOf } from './kept-named.ts'
import { wholeFrom } from './read-whole.ts'

/** A request for what a name names; with `isOwn` for an inscription's own body, whatever it delegates to. */
interface Asked {
  blockchain: Blockchain
  name: ContentName
  isOwn?: boolean | undefined
  /** The address that memory is reserved for. */
  client: string | undefined
}

/** @throws {AppError} 400 for what is no name; 404 on a chain of which this service does not read what others wrote. */
export function parseName(env: Env, blockchain: Blockchain, text: string): ContentName {
  const name = parseContentName(text)
  if (!name) throw invalidField('txids', 'must be transaction ids, or a name such as <txid>i0 or stamp:<txid>.')
  if (readConfig(env).inscriptions.includes(blockchain)) return name
  throw notFound(`This service does not read what others wrote on ${blockchain}.`)
}

/**
 * What a name names: from the bucket, or from the node, verified. Of a doginal whose first transaction is named alone the later
 * ones are searched for.
 * @throws {AppError} 404 where there is none, parts are missing, or it cannot be verified; 422, 502, 503, 504
 */
export async function findNamed(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  asked: Asked,
): Promise<{ content: NamedContent; record: string; tier: CacheTier }> {
  const { blockchain, name, isOwn = false } = asked
  const known = (await getKept(env, asked, name)) ?? (await getWhole(env, asked))
  if (known) return { ...known, tier: 'r2' }
  const follower = followerOf(env, blockchain, asked.client)
  const source = sourceOf(env, blockchain, follower)
  const read = async () =>
    isOwn && name.kind === 'inscription'
      ? withBody(await readOwn(blockchain, name.id, source))
      : await readNamed(blockchain, name, source)
  const content = withType(await orAnswer(read, follower, txidsOf(name)))
  const [txid = ''] = txidsOf(name)
  const full = fullName(name, follower.foundOf(txid)?.txids)
  const record = recordNameOf(blockchain, full, isOwn)
  ctx.waitUntil(putNamed(env, record, full, content))
  return { content, record, tier: 'miss' }
}

async function getKept(env: Env, { blockchain, isOwn = false }: Asked, name: ContentName) {
  const record = recordNameOf(blockchain, name, isOwn)
  const content = await getNamed(env.BUCKET, record, name)
  return content && { content, record }
}

/** What is kept of a doginal by the name with all of its transactions, if those were found before. */
async function getWhole(env: Env, asked: Asked) {
  const { blockchain, name } = asked
  if (blockchain !== 'Dogecoin' || name.kind !== 'inscription' || name.id.index !== 0) return undefined
  const search = await getSearch(env.BUCKET, blockchain, name.id.txid)
  if (!search || endOf(search) !== 'complete') return undefined
  const txids = search.parts.map((part) => part.txid)
  return await getKept(env, asked, fullName(name, txids))
}

function fullName(name: ContentName, txids: string[] | undefined): ContentName {
  return txids ? { kind: 'doginal', txids } : name
}

/** What the names of a chain are read with, for one request. */
export function sourceOf(env: Env, blockchain: Blockchain, follower?: Pick<Follower, 'follow'>): NamedSource {
  return {
    read: wholeFrom(readConfig(env).chains[blockchain]),
    sha256: (bytes) => hash('sha256', bytes, 'buffer'),
    ...(follower && { follow: follower.follow }),
  }
}

/**
 * `txids`: those of the name.
 * @throws {AppError} 404 in place of what a reader says
 */
export async function orAnswer<Result>(
  read: () => Promise<Result>,
  follower: Pick<Follower, 'last'>,
  txids: string[],
): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof ReaderError ? asAnswer(error, follower.last() ?? { txids }) : error
  }
}

function asAnswer({ code, message }: ReaderError, found: FollowedParts | Pick<FollowedParts, 'txids'>): AppError {
  switch (code) {
    case 'incomplete': {
      const isSearched = 'end' in found
      const { txids } = found
      const details = isSearched ? { txids, proven: found.proven, missing: found.missing } : { txids }
      const why = isSearched ? ` ${explainEnd(found)}` : ''
      return new AppError(404, 'not_complete', message + why, { ...UNSTORED, details })
    }
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
