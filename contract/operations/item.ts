import { FROM_CURSOR, idOf } from '../fields.ts'
import {
  CreatedItem,
  CreatedItems,
  Item,
  ItemChange,
  ItemCounts,
  ItemPage,
  ItemQuery,
  ItemTransactionPage,
  KnownItems,
  MergedItems,
  MergeList,
  NewItem,
  NewItems,
  SiteProblems,
  Source,
  WantedContent,
} from '../item.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { MAX_LISTED_ITEMS, PAGE_ROWS } from '../limits.ts'
import { BINARY, json, operations } from '../operation.ts'
import { Receipt } from '../payment.ts'
import { either, integer, optional, text } from '../schema.ts'
import { merge } from './merge.ts'

const path = { id: idOf('item') }

/** Items, from their upload to what they are made of. */
export const ITEM_OPERATIONS = operations('Storing', {
  'POST /v0/item': {
    id: 'createItem',
    summary: 'Begin an upload, or several',
    description: `Of one item, or of \`items\`, at most ${MAX_LISTED_ITEMS}, all or none; the answer has the same form and order.`,
    token: 'store',
    keys: ['store'],
    idempotent: true,
    body: either([NewItem, NewItems]),
    example: { name: 'cat.png', mimetype: 'image/png', blockchain: 'Nativecoin', size: 2500000 },
    answers: {
      201: json(
        'How to upload it: `chunks` chunks of `chunkSize` bytes, the last one shorter where the size says so; none of a file of 0 bytes.',
        either([CreatedItem, CreatedItems]),
        { id: '6b01a4cc8a40fc232d317ec6', chunkSize: 1048576, chunks: 3 },
      ),
      409: 'The folder is merged and accepts nothing more, or the account has reached a quota.',
      413: 'No item may be so large, or the body is.',
    },
    refuses: [404, 422],
  },
  'GET /v0/item': {
    id: 'listItems',
    summary: 'List your items',
    description: `Newest first, ${PAGE_ROWS} a page, by number or by cursor; files of a merged folder are listed with \`directory\`, and of the versions of a site the newest is listed. Who may \`operate\` sees the conflicts of everyone with \`status=409\`.`,
    token: 'store',
    keys: ['read', 'store'],
    query: ItemQuery.entries,
    answers: { 200: json('A page.', ItemPage) },
    refuses: [404],
  },
  'POST /v0/item/known': {
    id: 'findKnownItems',
    summary: 'Find your items that hold files which you have',
    description:
      'By size, SHA-256 and media type of the bytes as they were uploaded; a merged folder by its manifest. Of several, the newest; paid items before unpaid ones. Only your own items are searched, and only those that were merged since hashes are stored; not the files of a CAR, and nothing that is denied.',
    token: 'store',
    keys: ['read', 'store'],
    body: WantedContent,
    example: { blockchain: 'IPFS', files: [{ size: 1200, sha256: 'a'.repeat(64), mimetype: 'text/css' }] },
    answers: {
      200: json('Those that are stored, being written or unpaid; what is not named is not known.', KnownItems),
      422: 'The files have more transactions than are checked against the denylist at once: request fewer files.',
    },
  },
  'POST /v0/item/merge': {
    id: 'mergeItems',
    summary: 'Merge several uploads',
    description:
      'Each has its own answer, in the order of the request: the item as it is now, or why its merge is refused. An item that is still `201 Created` is being merged, or waits for its turn: send the request again.',
    token: 'store',
    keys: ['store'],
    body: MergeList,
    example: { items: ['6b01a4cc8a40fc232d317ec6'] },
    answers: { 200: json('An answer for each.', MergedItems) },
  },
  'GET /v0/item/{id}/receipt': {
    id: 'readReceipt',
    summary: 'What an item cost, and what paid it',
    description: 'From when it is paid on. A file of a directory was paid with the directory.',
    token: 'pay',
    keys: ['read', 'store', 'pay'],
    path,
    answers: { 200: json('The receipt.', Receipt) },
  },
  'GET /v0/item/{id}/source': {
    id: 'readSource',
    summary: 'What a stored item is made of',
    description: 'Its txids or CID, by which anybody can read and verify it elsewhere. No token.',
    path,
    answers: { 200: json('The txids or the CID.', Source) },
    refuses: [410, 451],
  },
  'GET /v0/item/{id}': {
    id: 'readItem',
    summary: 'Look at an item',
    token: 'store',
    keys: ['read', 'store', 'pay'],
    path,
    answers: { 200: json('The item.', Item) },
  },
  'PATCH /v0/item/{id}': {
    id: 'changeItem',
    summary: 'Rename, move or hide an item, or correct its media type',
    description:
      'The stored content does not change. `/v0/content` and the hosts of the item send a new media type at once where it is changed, elsewhere within a minute; browsers that have the item already keep what they have.',
    token: 'store',
    keys: ['store'],
    path,
    body: ItemChange,
    example: { name: 'cat.png' },
    answers: {
      200: json('The item.', Item),
      409: 'It is in a merged folder or would be moved into one; the name exists in the folder; the target differs; or it has no media type of its own.',
    },
  },
  'DELETE /v0/item/{id}': {
    id: 'deleteItem',
    summary: 'Delete an unpaid item',
    description: 'Cancels its open payment request. A directory is removed with all its files.',
    token: 'store',
    keys: ['store'],
    path,
    answers: { 204: 'It is gone.', 409: 'It is paid for, money has been seen for it, or it is part of a directory.' },
  },
  'POST /v0/item/{id}/take-down': {
    id: 'takeDownItem',
    summary: 'Take down an item on IPFS',
    description:
      'It leaves all lists and the versions of sites, and its hosts and `/v0/content` answer 410: at once where it is requested, elsewhere within a minute. This cannot be undone. `/ipfs/<cid>` and others who have it may go on serving it. What is on a chain cannot be taken down: it can be hidden.',
    token: 'store',
    keys: ['store'],
    path,
    answers: {
      204: 'It is taken down.',
      409: 'It is on a chain, not stored yet, a file of a directory, shown by a site, or reported and not decided on.',
    },
    refuses: [404],
  },
  'PUT /v0/item/{id}/chunk/{index}': {
    id: 'uploadChunk',
    summary: 'Upload a chunk',
    description: `In any order, in parallel, as often as wanted, for ${inWords(LIFETIMES.unpaid)} after the last one.`,
    token: 'store',
    keys: ['store'],
    path: { ...path, index: integer('From 0.', { least: 0, example: 0 }) },
    headers: { 'Content-Digest': optional(text('RFC 9530. A SHA-256 is checked: `sha-256=:…:`.')) },
    body: { required: true, types: { 'application/octet-stream': BINARY } },
    answers: {
      204: 'It is stored.',
      400: 'The chunk is too short, has another hash, or there is no such index. Nothing was stored.',
      409: 'The upload is closed: the item is merged, or being merged.',
      413: 'The chunk is too long. Nothing was stored.',
    },
  },
  'POST /v0/item/{id}/merge': merge(
    'item',
    'Merge an upload',
    'Compresses the chunks with Brotli for a chain, or finds their CID for IPFS; then the item waits for payment.',
    'Chunks are missing: `missing` lists their indexes.',
  ),
  'POST /v0/item/{id}/retry': {
    id: 'retryItem',
    summary: 'Retry a stopped item',
    token: 'operate',
    path,
    idempotent: true,
    answers: { 202: json('The item, which is written again.', Item), 409: 'The item is not in `409 Conflict`.' },
  },
  'GET /v0/item/counts': {
    id: 'countItems',
    summary: 'Count your items by status',
    description: 'Files of a merged folder are counted as their directory.',
    token: 'store',
    keys: ['read', 'store'],
    answers: { 200: json('How many there are.', ItemCounts) },
  },
  'GET /v0/item/{id}/transactions': {
    id: 'listItemTransactions',
    summary: 'List the transactions of an item',
    description: `In order, ${PAGE_ROWS} a page: none before the merge, and none on IPFS. A txid is listed when its transaction has enough confirmations.`,
    token: 'store',
    keys: ['read', 'store'],
    path,
    query: FROM_CURSOR,
    answers: { 200: json('A page.', ItemTransactionPage) },
  },
  'GET /v0/item/{id}/problems': {
    id: 'listSiteProblems',
    summary: 'Check the _headers and _redirects of a directory',
    description:
      'Every faulty line, 100 at most, from the merge on: before it is paid, too. Empty for what has no such files.',
    token: 'store',
    keys: ['read', 'store', 'sites'],
    path,
    answers: {
      200: json('What is wrong.', SiteProblems),
      409: 'The item is not merged yet.',
      422: 'The directory is larger or more intricate than one request may read.',
    },
  },
})
