import * as v from 'valibot'
import { AmountError, parseAmount } from '../protocol/amount.ts'
import { BLOCKCHAINS, eachChain, STORAGE_TARGETS } from '../protocol/chains.ts'
import { OBJECT_ID_PATTERN } from '../protocol/object-id.ts'
import { ERROR_CODES } from './error-codes.ts'
import { MAX_NAME, MAX_TXIDS } from './limits.ts'
import { MEDIA_TYPE, MEDIA_TYPE_LENGTH, parseMediaType } from './media-type.ts'
import { list, noted, object, optional, type Schema, text, words } from './schema.ts'

/** What ids, addresses and other values are of that one operation answers and another one takes. */
export type ValueName =
  | 'account'
  | 'address'
  | 'chain'
  | 'cid'
  | 'denied kind'
  | 'denied value'
  | 'deposit'
  | 'folder'
  | 'host'
  | 'item'
  | 'key'
  | 'offset'
  | 'order'
  | 'passkey'
  | 'refresh token'
  | 'report'
  | 'request address'
  | 'send'
  | 'session'
  | 'failed record'
  | 'site'
  | 'site address'
  | 'target'
  | 'txid'
  | 'upload'
  | 'version'
  | 'wait'
  | 'webhook'
  | 'withdrawal'

/**
 * A field that holds such a value: the description links each answer with one to the operations that take one
 * (`worker/features/docs/links.ts`).
 */
export function named<S extends Schema>(name: ValueName, schema: S): S {
  return noted(schema, undefined, { 'x-value': name })
}

/** What is part of many bodies and answers. */
export const ObjectId = text('Of an item or a folder.', {
  pattern: OBJECT_ID_PATTERN,
  sentence: 'must be an id, 24 lowercase hex digits.',
})
export const Txid = named(
  'txid',
  text('Of a transaction, in the order that people read.', {
    pattern: '^[0-9a-fA-F]{64}$',
    sentence: 'must be a transaction id, 64 hex digits.',
  }),
)
export const ContentHash = v.pipe(
  text('SHA-256 of the content, as hex.', { pattern: '^[0-9a-fA-F]{64}$', sentence: 'must be 64 hex digits.' }),
  v.toLowerCase(),
)
export const Blockchain = named(
  'chain',
  words(BLOCKCHAINS, 'Capitals matter.', `must be one of ${BLOCKCHAINS.join(', ')}, written exactly so.`),
)
export const StorageTarget = named(
  'target',
  words(STORAGE_TARGETS, 'Capitals matter.', `must be one of ${STORAGE_TARGETS.join(', ')}, written exactly so.`),
)

export const ItemId = named('item', noted(ObjectId, 'Of an item.'))
export const FolderId = named('folder', noted(ObjectId, 'Of a folder.'))

const NAME_LENGTH = 255
const NAME_PROBLEM = `must be a text of 1 to ${NAME_LENGTH} characters.`
/** A file or folder: it becomes a name in a directory, so it can't reach out of it. */
export const FileName = noted(
  v.pipe(
    v.string(NAME_PROBLEM),
    v.check((name) => name !== '' && name.length <= NAME_LENGTH, NAME_PROBLEM),
    v.check(
      (name) => name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name),
      'must not contain control characters, slashes or broken Unicode.',
    ),
    v.check((name) => name !== '.' && name !== '..', 'must not be "." or "..".'),
  ),
  'No slashes, no control characters.',
  { minLength: 1, maxLength: NAME_LENGTH, pattern: '^(?!\\.{1,2}$)[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+$' },
)

const NO_MEDIA_TYPE =
  'must be a media type such as text/html or image/png; multipart types and charset=utf-7 are not accepted.'
export const MediaType = v.pipe(
  noted(v.string(NO_MEDIA_TYPE), 'A media type, parameters and all.', {
    pattern: MEDIA_TYPE.source,
    maxLength: MEDIA_TYPE_LENGTH,
  }),
  v.check((type) => parseMediaType(type) !== undefined, NO_MEDIA_TYPE),
  v.transform((type) => parseMediaType(type) ?? type),
)

export const MESSAGE = object({ message: text() })
/** The parameter for the next page of a list. */
export const FROM_CURSOR = { cursor: optional(text('From an earlier page.')) }
export const CURSOR = optional(text('Cursor of the next page; absent on the last.'))
/** One page of a list: its rows under `name`, and the cursor behind it. */
export function pageOf<Name extends string, Row extends Schema>(name: Name, row: Row) {
  return object({ [name]: list(row), cursor: CURSOR })
}

export const Problem = noted(
  object({
    message: text('A sentence that a person can act on.'),
    code: noted(words(Object.keys(ERROR_CODES)), 'Stable, for programs.', { example: 'invalid_field' }),
  }),
  'Every refusal, unless it has no body.',
)

/** Content on a chain; the routes that read it from memory check it by hand. */
export const Content = object({
  blockchain: Blockchain,
  txids: list(Txid, 'In order; repeats count.', { least: 1, most: MAX_TXIDS }),
})

/** A chain that has coins. */
export const MoneyChain = named(
  'chain',
  words(
    BLOCKCHAINS,
    'Capitals matter.',
    `must be one of ${BLOCKCHAINS.join(', ')}, capitals included: IPFS has no coins.`,
  ),
)

/** The same of each chain, by its name. */
export function perChain<S extends Schema>(schema: S) {
  return object(eachChain(() => schema))
}

/** An amount of coins as decimal text, in base units; below zero where it may be `signed`. */
export function coinsText(description: string, { signed = false } = {}) {
  const problem = 'must be a decimal number of coins as text, with at most 8 decimals, such as "0.5".'
  const units = (value: string) => {
    try {
      return parseAmount(value)
    } catch (error) {
      if (error instanceof AmountError) return undefined
      throw error
    }
  }
  const fits = (value: string) => (signed ? units(value) !== undefined : (units(value) ?? -1n) >= 0n)
  return v.pipe(
    noted(text(), description, signed ? {} : { pattern: '^\\d{1,20}(\\.\\d{1,8})?$' }),
    v.check(fits, problem),
    v.transform((value) => units(value) ?? 0n),
  )
}

const STATEMENT = /[^\P{Cc}\t\r\n]|\p{Cs}/u
/**
 * A text that people wrote and a database returns as it was written, in lines: no broken Unicode, no control
 * characters, of which one ends a text in SQLite's functions.
 */
export function statement(most: number, description?: string, { least = 1 } = {}) {
  const problem = `must be a text of ${least > 0 ? `${least} to` : 'at most'} ${most} characters that people can read.`
  const fits = (value: string) => value.length <= most && value.trim().length >= least && !STATEMENT.test(value)
  return noted(v.pipe(v.string(problem), v.check(fits, problem)), description, {
    ...(least > 0 && { minLength: least }),
    maxLength: most,
  })
}

/** A name of a person or a thing. */
export function personName(description: string) {
  const problem = `must be 1 to ${MAX_NAME} characters, none of them a control character.`
  const fits = (name: string) => name !== '' && name.length <= MAX_NAME && !/[\p{Cc}\p{Cs}]/u.test(name)
  const written = noted(text(), description, { minLength: 1, maxLength: MAX_NAME })
  return v.pipe(written, v.trim(), v.check(fits, problem))
}

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

/** What a client stores together, by an id that it makes. */
export const OrderId = named(
  'order',
  text('Of an order: a UUID that the client makes.', { pattern: UUID, sentence: 'must be a UUID in lowercase.' }),
)

export const uuid = text(undefined, { pattern: UUID })
/** A token; whether it is one, is checked where it is used. */
export const jwt = (description: string) =>
  noted(text(), description, { pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}$' })

/** An id, by default an object id. */
export function idOf(name: ValueName): typeof ObjectId
export function idOf<S extends Schema>(name: ValueName, schema: S): S
export function idOf(name: ValueName, schema: Schema = ObjectId) {
  return named(name, noted(schema, `Of the ${name}.`))
}
