import * as v from 'valibot'
import {
  ContentHash,
  CURSOR,
  FileName,
  FolderId,
  ItemId,
  MediaType,
  named,
  OrderId,
  StorageTarget,
  Txid,
} from './fields.ts'
import { MAX_LISTED_ITEMS, MAX_WANTED_FILES, PAGE_ROWS, SEARCHED_NAMES } from './limits.ts'
import {
  anything,
  count,
  digits,
  flag,
  integer,
  list,
  noted,
  nullable,
  nullish,
  type Output,
  object,
  only,
  optional,
  type Schema,
  seconds,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { ITEM_KINDS, ITEM_STATUS_NUMBERS, ITEM_STATUSES, TRANSACTION_STATES } from './states.ts'

/** Pages of items that can be requested by number. */
const MAX_PAGE = 1_000_000
export const ITEM_SORTS = ['name', '-name', 'size', '-size', 'status', '-status', 'created', '-created'] as const

export const ItemStatus = words(
  ITEM_STATUSES,
  'Being uploaded; waiting for payment; paid and being written; stored; needing an operator, `message` says why.',
)

export const Item = object({
  id: ItemId,
  name: text(),
  mimetype: text(undefined, { example: 'image/png' }),
  blockchain: StorageTarget,
  folder: nullable(named('folder', text()), 'The folder that contains it.'),
  directory: optional(named('item', text('Of a file of a merged folder: the item that this is.'))),
  path: nullable(text(), 'Names of the folders that contain it, the outermost first, joined by `/`.'),
  files: nullable(integer(), 'How many files a merged folder has.'),
  status: ItemStatus,
  message: nullable(text(), 'What there is to say of the status.'),
  merging: optional(only(true, 'Only during the merge, which has no percentage; the status is still `201 Created`.')),
  size: integer('Bytes of the content.'),
  storedSize: nullable(integer(), 'Bytes that are stored, from merge on: compressed for a chain, all blocks for IPFS.'),
  txids: optional(
    list(
      Txid,
      'In order; there once every transaction is confirmed. Lists leave them out where they are more than 100.',
    ),
  ),
  index: nullish(
    Txid,
    'Of content of several transactions that is to have an index: that transaction, which names them all; null until it is confirmed.',
  ),
  cid: nullable(named('cid', text()), 'Of an IPFS item, from merge on.'),
  transactions: nullable(
    integer(),
    'Data transactions that it needs, known after the merge; its index is one of them.',
  ),
  written: integer('Transactions sent to the chain.'),
  confirmed: integer('Transactions with all confirmations.'),
  received: optional(
    integer('Bytes that are held of an upload; in the answer of a single item, while it is being uploaded.'),
  ),
  hidden: optional(only(true, 'Where it is hidden: in no list, and found by no search, but those of hidden items.')),
  sites: optional(
    list(
      object({
        id: named('site', text()),
        name: text(),
        version: integer('The number that it has there.'),
        shown: flag('Whether the site shows it.'),
      }),
      'The sites that it is a version of, if there are any; those that show it first.',
      { most: 10 },
    ),
  ),
  createdAt: seconds('When it was made'),
  links: object({
    content: text('The decoded bytes.', { format: 'uri' }),
    web: nullable(
      text(undefined, { format: 'uri' }),
      'The same by txids or CID; null before `200 OK`, and where no address of so many txids is answered.',
    ),
    site: text('The item as a site on an origin of its own.', { format: 'uri' }),
  }),
  embed: nullable(text(), 'HTML that shows the item, verified by the page helper.'),
})

export type Item = Output<typeof Item>

export const ItemTransaction = object({
  index: count('From 0, in the order of the content.'),
  txid: nullable(text(), 'Null until the transaction is deep enough.'),
  bytes: count('Of the stored content that it carries.'),
  state: words(TRANSACTION_STATES, 'Not sent yet; sent; in a block; as deep as is needed.'),
  depth: count('Blocks, its own included; 0 in none.'),
  lastSeen: timeOrNull('When it was last known to be in the chain or with the node'),
})

export const SiteProblem = object({
  file: words(['_headers', '_redirects']),
  line: count('From 1; 0 for the whole file.'),
  text: text('The line, its first 500 characters.'),
  fault: text('A sentence that says what is wrong.'),
  effect: words(
    ['fails', 'ignored'],
    '`fails`: the site answers 500 because of it. `ignored`: the line is passed over.',
  ),
})
export type SiteProblem = Output<typeof SiteProblem>

export const Source = object({
  blockchain: StorageTarget,
  name: text(),
  mimetype: text(),
  size: integer('Bytes of the content.'),
  txids: optional(list(Txid, 'Of an item on a chain, in order.')),
  index: optional(noted(Txid, 'Of the transaction that names them all.')),
  cid: optional(named('cid', text('Of an item on IPFS.'))),
})

/** What a caller says of a new item. */
export const NewItem = object({
  name: FileName,
  mimetype: MediaType,
  blockchain: StorageTarget,
  size: integer('Bytes.', { least: 0, sentence: 'must be a whole number of bytes.' }),
  folder: nullish(FolderId, 'A folder of the same target; null means the same as absent.'),
  order: nullish(OrderId, 'What it is stored together with, of the same target; a UUID that the client makes.'),
})

/** Fields of a new item that `Upload-Metadata` carries: all but its size, which is `Upload-Length`. */
type MetadataField = Exclude<keyof NewItem, 'size'>

/**
 * The key of each field of a new item in `Upload-Metadata`. A field that is added to a new item is missing here until it
 * has a key; one that is no text cannot have one.
 */
export const METADATA_KEYS = {
  name: 'filename',
  mimetype: 'filetype',
  blockchain: 'blockchain',
  folder: 'folder',
  order: 'order',
} as const satisfies { [Field in MetadataField]-?: NonNullable<NewItem[Field]> extends string ? string : never }
/** The new name, folder and media type of an item, and whether it is listed. */
export const ItemChange = object({
  name: optional(FileName),
  folder: optional(nullable(FolderId, 'A folder of the same target; null for none.')),
  mimetype: optional(MediaType),
  hidden: optional(flag('Whether it is left out of lists and searches.')),
})
export type ItemChange = Output<typeof ItemChange>
/** Several at once, all or none. */
export const NewItems = object({ items: listed(NewItem, 'items') })
export type NewItem = Output<typeof NewItem>

/** How a new item is uploaded. */
export const CreatedItem = object({ id: ItemId, chunkSize: integer(), chunks: integer() })
export const CreatedItems = object({ items: listed(CreatedItem) })
export type CreatedItem = Output<typeof CreatedItem>

const index = optional(
  flag(
    'Whether content of several transactions has an index: one more transaction, by whose txid alone it is read. Without it, on Nativecoin only. Content of one transaction has none.',
  ),
)
/** How an upload is merged. */
export const MergeOptions = object({ index })
export type MergeOptions = Output<typeof MergeOptions>

/** Uploads to merge. */
export const MergeList = object({
  index,
  items: v.pipe(
    listed(ItemId, 'ids of items'),
    v.check((ids) => new Set(ids).size === ids.length, 'must have each id once.'),
  ),
})
const missing = list(anything(), 'What a merge that is refused for it misses.')
/** How each of several merges is answered: the item, or why its merge is refused. */
export const MergedItems = object({
  items: listed(
    object({
      id: ItemId,
      item: optional(Item),
      message: optional(text()),
      code: optional(text()),
      missing: optional(missing),
    }),
  ),
})
export const RefusedMerge = object({ message: text(), code: text(), missing: optional(missing) })

/** Content that the caller has, of which the account may have items already. */
export const WantedContent = object({
  blockchain: StorageTarget,
  files: optional(
    list(
      object({
        size: integer('Bytes.', { least: 0, sentence: 'must be a whole number of bytes.' }),
        sha256: ContentHash,
        mimetype: MediaType,
        path: optional(text("The caller's own; it is not used.")),
      }),
      undefined,
      { most: MAX_WANTED_FILES, sentence: `must be a list of at most ${MAX_WANTED_FILES} files.` },
    ),
  ),
  manifest: optional(
    noted(ContentHash, 'Of a folder: SHA-256 of its lines `path\\0size\\0sha256\\n`, sorted by their bytes in UTF-8.'),
  ),
})
export type WantedContent = Output<typeof WantedContent>

/** An item that holds such content. */
export const KnownItem = object({
  index: optional(count('Of the file in the request; absent for the folder of `manifest`.')),
  id: ItemId,
  status: ItemStatus,
  payment: optional(
    object({
      address: text('Of the payment request that waits for money; `GET /v0/payment?address=` has the rest.'),
      items: count('How many items it pays for.'),
      expiresAt: seconds('Until when its price holds'),
    }),
  ),
})
export type KnownItem = Output<typeof KnownItem>
export const KnownItems = object({ known: list(KnownItem) })

/** The query of a list of items. */
export const ItemQuery = object({
  name: optional(
    text(
      `Beginnings of words of the name, all of which it must have; files of merged folders are found, too. Of more than ${SEARCHED_NAMES} names that match, the newest ${SEARCHED_NAMES} are searched; \`total\` is null then.`,
      { most: 200 },
    ),
  ),
  status: optional(
    noted(
      v.picklist([...ITEM_STATUS_NUMBERS, ...ITEM_STATUSES], `must be one of: ${ITEM_STATUSES.join(', ')}.`),
      'Only these.',
      { enum: ITEM_STATUS_NUMBERS },
    ),
  ),
  folder: optional(
    noted(
      v.union([v.literal('none'), FolderId], 'must be the id of a folder, or none.'),
      'Only what is directly in it; `none` for what is in no folder.',
    ),
  ),
  order: optional(
    noted(OrderId, 'Only what is in this order, files of its merged folders among it; not with `name` or `folder`.'),
  ),
  directory: optional(
    named('item', noted(ItemId, 'Only the files of this merged folder; not with `name`, `folder` or `order`.')),
  ),
  blockchain: optional(noted(StorageTarget, 'Only what is stored, or to be stored, there.')),
  kind: optional(
    noted(words(ITEM_KINDS), 'Only these, by their media types; `website`: merged folders and HTML pages.'),
  ),
  hidden: optional(
    noted(v.literal('true', 'must be true or left out.'), 'Only hidden items, which are else left out.', {
      enum: ['true'],
    }),
  ),
  sort: v.optional(
    words(
      ITEM_SORTS,
      'A minus reverses it. Names: ASCII letters without regard to their case. Items of the same status are listed newest first.',
    ),
    '-created',
  ),
  page: optional(digits(`From 1; ${PAGE_ROWS} items each.`, { least: 1, most: MAX_PAGE })),
  cursor: optional(text('From an earlier page of the same order, in place of `page`; not with `name`.')),
})
export type ItemQuery = Output<typeof ItemQuery>

const byCursor = 'Null where it was asked for by cursor.'
export const ItemPage = object({
  items: list(Item),
  page: nullable(integer(), byCursor),
  pages: nullable(integer(), byCursor),
  total: nullable(integer(), 'Null if the page was requested by cursor, or a search found more than it reads.'),
  cursor: CURSOR,
})

export const ItemCounts = object({
  counts: object(Object.fromEntries(ITEM_STATUS_NUMBERS.map((status) => [status, count()]))),
  total: count(),
  hidden: count('Hidden ones, which are in no other count.'),
  bytes: count('Of the contents of `total`.'),
})

export const ItemTransactionPage = object({
  transactions: list(ItemTransaction),
  confirmations: count('The depth that each needs; 0 on IPFS.'),
  cursor: CURSOR,
})

export const SiteProblems = object({
  problems: list(SiteProblem),
  more: flag('Whether there are more than these.'),
})

function listed<S extends Schema>(item: S, what = 'items') {
  const sentence = `must be a list of 1 to ${MAX_LISTED_ITEMS} ${what}.`
  return list(item, undefined, { least: 1, most: MAX_LISTED_ITEMS, sentence })
}
