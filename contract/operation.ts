import { pageOf } from './fields.ts'
import { integer, type Schema, text } from './schema.ts'
import type { Scope } from './scopes.ts'

/** One answer of an operation: JSON of a schema, or bytes of other media types; neither where it has no body. */
export interface Answer {
  description: string
  schema?: Schema
  types?: readonly string[]
  headers?: Readonly<Record<string, Schema>>
  example?: unknown
}

/** Parameters of a path, a query or of headers, by their names. */
export type Parameters = Readonly<Record<string, Schema>>

/** The parameters, body and answers of an operation. */
export interface Operation {
  /** Names it for clients that are made from the description; unique, stable. */
  id: string
  summary: string
  description?: string
  /** The permission that the access token needs, true for the token alone; no member: no token. */
  token?: 'store' | 'pay' | 'users' | 'moderate' | 'import' | 'operate' | true
  /**
   * The scopes of which an API key needs one; no member: no key is accepted. Operations on tokens, keys, sessions, passkeys and
   * withdrawals, and those of administrators, must never have one.
   */
  keys?: readonly Scope[]
  path?: Parameters
  query?: Parameters
  headers?: Parameters
  /** Whether an `Idempotency-Key` is accepted or required. */
  idempotent?: true | 'required'
  /** JSON, unless its media types are named. */
  body?: Schema | { required: boolean; types: Readonly<Record<string, Schema>> }
  example?: unknown
  /** By status. A text alone: no body below 400, from there on a refusal. */
  answers: Readonly<Record<number, string | Answer>>
  /** Statuses of refusals that say no more than everywhere, beside those of a token, a body, a query and an id. */
  refuses?: readonly number[]
  /** Its tag, if it differs from that of its list. */
  tag?: Tag
}

/** Parts of the description, in the order a newcomer needs them. */
export const TAGS = {
  Tokens: 'Log in, stay logged in, log out.',
  Accounts: 'Sign up, reset a password, see your balances.',
  Storing: 'Upload a file in chunks, or a folder of them, and merge.',
  Paying: 'Pay for merged items with a transfer or from your balance; then they are written.',
  Events: 'What happens to your items and payments, as a stream and by webhooks.',
  'Reading from a chain': 'By transaction ids or object id. No token is needed; every byte is verified.',
  IPFS: 'A gateway that checks every block, and the import of blocks.',
  Sites: 'A name that shows one stored item, and another one after a switch.',
  'Domains and denylist': 'Hosts of your own, and what is not served.',
  Console: 'The page that people store files with, and its session.',
  Operating: 'What an operator sees and does, and who did it.',
  'This service': 'Health, descriptions, the page helper.',
} as const
export type Tag = keyof typeof TAGS

/** Operations by method and path, such as `GET /v0/item/{id}`. */
export type Operations = Readonly<Record<string, Operation & { tag: Tag }>>

export function operations(tag: Tag, own: Readonly<Record<string, Operation>>): Operations {
  return Object.fromEntries(Object.entries(own).map(([route, operation]) => [route, { tag, ...operation }]))
}

/** An answer with a JSON body. */
export function json(description: string, schema: Schema, example?: unknown): Answer {
  return { description, schema, ...(example !== undefined && { example }) }
}

/** An answer in other media types. */
export const content = (description: string, ...types: string[]): Answer => ({ description, types })

/** The answers to GET and HEAD of content: whole, a range, not modified, or an invalid range. */
export function readable(whole: Answer): Record<number, string | Answer> {
  return {
    200: whole,
    206: { ...whole, description: 'The part that `Range` selects.' },
    304: 'Not modified: `If-None-Match` names it.',
    416: 'The range is outside the content.',
  }
}

/** The answer that is one page of a list. */
export const page = (description: string, name: string, row: Schema): Answer => json(description, pageOf(name, row))

/** Bytes as they are. */
export const BINARY = text(undefined, { format: 'binary' })
export const RETRY_AFTER = { 'Retry-After': integer('Seconds.') }
