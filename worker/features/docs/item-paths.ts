import { MAX_LISTED_ITEMS } from '../items/parse-new-item.ts'
import { ITEM_LIST, ITEM_LIST_QUERY } from './library-paths.ts'
import {
  common,
  empty,
  idempotent,
  inHeader,
  inPath,
  json,
  jsonBody,
  object,
  type Paths,
  ref,
  refusal,
  type Schema,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'
import { merge, NAME } from './storing-operations.ts'

const tags = ['Storing'] as const
const id = inPath('id', 'Of the item.', OBJECT_ID)
const NEW_ITEM = object(
  {
    name: NAME,
    mimetype: {
      type: 'string',
      pattern: PATTERNS.mediaType,
      maxLength: 255,
      description: 'A media type, parameters and all.',
    },
    blockchain: ref('StorageTarget'),
    size: { type: 'integer', minimum: 0, description: 'Bytes.' },
    folder: {
      oneOf: [OBJECT_ID, { type: 'null' }],
      description: 'A folder of the same target; null is as good as absent.',
    },
  },
  ['folder'],
)
const CREATED_ITEM = object({ id: OBJECT_ID, chunkSize: { type: 'integer' }, chunks: { type: 'integer' } })
const listed = (items: Schema): Schema => ({ type: 'array', minItems: 1, maxItems: MAX_LISTED_ITEMS, items })
const MISSING: Schema = { type: 'array', items: {}, description: 'What a merge that is refused for it misses.' }

/** Items, from their upload to what they are made of. */
export const ITEM_PATHS: Paths = {
  '/v0/item': {
    post: idempotent({
      tags,
      operationId: 'createItem',
      summary: 'Begin an upload, or several',
      description: 'Of one item, or of `items`, at most 100, all or none; the answer has the same form and order.',
      security: token('store'),
      requestBody: jsonBody(
        { oneOf: [NEW_ITEM, object({ items: listed(NEW_ITEM) })] },
        { name: 'cat.png', mimetype: 'image/png', blockchain: 'Nativecoin', size: 2_500_000 },
      ),
      responses: {
        '201': json(
          'How to upload it: `chunks` chunks of `chunkSize` bytes, the last one shorter where the size says so; none of a file of 0 bytes.',
          { oneOf: [CREATED_ITEM, object({ items: listed(CREATED_ITEM) })] },
          { id: '6b01a4cc8a40fc232d317ec6', chunkSize: 1_048_576, chunks: 3 },
        ),
        ...common(...TOKEN_AND_BODY, '404', '422'),
        '409': refusal(
          'The folder has been merged and takes nothing more, or the account has all that its quota allows.',
        ),
        '413': refusal('No item may be so large, or the body is.'),
      },
    }),
    get: {
      tags,
      operationId: 'listItems',
      summary: 'List your items',
      description:
        'Newest first, 50 a page, by number or by cursor; files of a merged folder stand under their directory. Who may `operate` sees the conflicts of everyone with `status=409`.',
      security: token('store'),
      parameters: ITEM_LIST_QUERY,
      responses: { '200': json('A page.', ITEM_LIST), ...common('400', '401', '403', '404') },
    },
  },
  '/v0/item/merge': {
    post: {
      tags,
      operationId: 'mergeItems',
      summary: 'Merge several uploads',
      description:
        'Each is answered for itself, in the order asked: the item as it is now, or why its merge is refused. An item that is still `201 Created` is being merged, or its turn did not come: ask again.',
      security: token('store'),
      requestBody: jsonBody(object({ items: listed(OBJECT_ID) }), { items: ['6b01a4cc8a40fc232d317ec6'] }),
      responses: {
        '200': json(
          'An answer for each.',
          object({
            items: listed(
              object(
                {
                  id: OBJECT_ID,
                  item: ref('Item'),
                  message: { type: 'string' },
                  code: { type: 'string' },
                  missing: MISSING,
                },
                ['item', 'message', 'code', 'missing'],
              ),
            ),
          }),
        ),
        ...common(...TOKEN_AND_BODY),
      },
    },
  },
  '/v0/item/{id}/receipt': {
    get: {
      tags,
      operationId: 'readReceipt',
      summary: 'What an item cost, and what paid it',
      description: 'From when it is paid on. A file of a directory was paid with the directory.',
      security: token('pay'),
      parameters: [id],
      responses: { '200': json('The receipt.', ref('Receipt')), ...common('401', '403', '404') },
    },
  },
  '/v0/item/{id}/source': {
    get: {
      tags,
      operationId: 'readSource',
      summary: 'What a stored item is made of',
      description: 'Its txids or CID, by which anybody can read and verify it elsewhere. No token.',
      parameters: [id],
      responses: { '200': json('The txids or the CID.', ref('Source')), ...common('404', '451') },
    },
  },
  '/v0/item/{id}': {
    get: {
      tags,
      operationId: 'readItem',
      summary: 'Look at an item',
      security: token('store'),
      parameters: [id],
      responses: { '200': json('The item.', ref('Item')), ...common('401', '403', '404') },
    },
    delete: {
      tags,
      operationId: 'deleteItem',
      summary: 'Delete an unpaid item',
      description: 'Cancels the payment request that waits for it. A directory goes with all its files.',
      security: token('store'),
      parameters: [id],
      responses: {
        '204': empty('It is gone.'),
        ...common('401', '403', '404'),
        '409': refusal('It is paid for, money has been seen for it, or it is part of a directory.'),
      },
    },
  },
  '/v0/item/{id}/chunk/{index}': {
    put: {
      tags,
      operationId: 'uploadChunk',
      summary: 'Upload a chunk',
      description: 'In any order, in parallel, as often as wanted, for 7 days after the last one.',
      security: token('store'),
      parameters: [
        id,
        inPath('index', 'From 0.', { type: 'integer', minimum: 0 }),
        inHeader('Content-Digest', 'RFC 9530. A SHA-256 is checked: `sha-256=:…:`.'),
      ],
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      responses: {
        '204': empty('It is kept.'),
        ...common('401', '403', '404'),
        '400': refusal('The chunk is too short, has another hash, or there is no such index. Nothing was kept.'),
        '409': refusal('The upload is closed: the item is merged, or being merged.'),
        '413': refusal('The chunk is too long. Nothing was kept.'),
      },
    },
  },
  '/v0/item/{id}/merge': {
    post: merge(
      'mergeItem',
      'Merge an upload',
      'Compresses the chunks with Brotli for a chain, or finds their CID for IPFS; then the item waits for payment.',
      'Chunks are missing: `missing` lists their indexes.',
    ),
  },
  '/v0/item/{id}/retry': {
    post: idempotent({
      tags,
      operationId: 'retryItem',
      summary: 'Let a stopped item go on',
      security: token('operate'),
      parameters: [id],
      responses: {
        '202': json('The item, which goes on.', ref('Item')),
        ...common('401', '403', '404'),
        '409': refusal('The item is not in `409 Conflict`.'),
      },
    }),
  },
}
