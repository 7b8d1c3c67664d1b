import { ITEM_SORTS, MAX_PAGE, MAX_SEARCH } from '../items/parse-item-query.ts'
import { STATUS_TEXTS } from '../items/sql/item-state.ts'
import {
  CURSOR,
  common,
  FROM_CURSOR,
  inPath,
  inQuery,
  json,
  object,
  type Parameter,
  type Paths,
  ref,
  refusal,
  type Schema,
  token,
} from './operation.ts'
import { COUNT, OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Storing'] as const
const id = inPath('id', 'Of the item.', OBJECT_ID)
const STATUSES = STATUS_TEXTS.map((text) => text.slice(0, 3))

/** What a list of items is asked with. */
export const ITEM_LIST_QUERY: readonly Parameter[] = [
  inQuery(
    'name',
    'Beginnings of words of the name, all of which it must have. Of more than 2,000 names that match, the newest 2,000 are looked at; `total` is null then.',
    { type: 'string', maxLength: MAX_SEARCH },
  ),
  inQuery('status', 'Only these.', { type: 'string', enum: STATUSES }),
  inQuery('folder', 'Only what lies directly in it; `none` for what lies in none.'),
  inQuery(
    'sort',
    'A minus turns it round. Names: ASCII letters without regard to their case. Of one status the newest comes first.',
    { type: 'string', enum: ITEM_SORTS, default: '-created' },
  ),
  inQuery('page', 'From 1; 50 items each.', { type: 'integer', minimum: 1, maximum: MAX_PAGE }),
  inQuery('cursor', 'From an earlier page of the same order, in place of `page`; not with `name`.'),
]

export const ITEM_LIST: Schema = object(
  {
    items: { type: 'array', items: ref('Item') },
    page: { type: ['integer', 'null'], description: 'Null where it was asked for by cursor.' },
    pages: { type: ['integer', 'null'], description: 'Null where it was asked for by cursor.' },
    total: {
      type: ['integer', 'null'],
      description: 'Null where it was asked for by cursor, and where a search found more than it looks at.',
    },
    cursor: CURSOR,
  },
  ['cursor'],
)

/** What the library tells of items beside themselves. */
export const LIBRARY_PATHS: Paths = {
  '/v0/item/counts': {
    get: {
      tags,
      operationId: 'countItems',
      summary: 'Count your items by status',
      description: 'Files of a merged folder are counted as their directory.',
      security: token('store'),
      responses: {
        '200': json(
          'How many there are.',
          object({
            counts: object(Object.fromEntries(STATUSES.map((status) => [status, COUNT]))),
            total: COUNT,
            bytes: { ...COUNT, description: 'Of their contents.' },
          }),
        ),
        ...common('401', '403'),
      },
    },
  },
  '/v0/item/{id}/transactions': {
    get: {
      tags,
      operationId: 'listItemTransactions',
      summary: 'List the transactions of an item',
      description:
        'In order, 50 a page: none before the merge, and none on IPFS. A txid is told once its transaction is deep enough.',
      security: token('store'),
      parameters: [id, FROM_CURSOR],
      responses: {
        '200': json(
          'A page.',
          object(
            {
              transactions: { type: 'array', items: ref('ItemTransaction') },
              confirmations: { ...COUNT, description: 'The depth that each needs; 0 on IPFS.' },
              cursor: CURSOR,
            },
            ['cursor'],
          ),
        ),
        ...common('400', '401', '403', '404'),
      },
    },
  },
  '/v0/item/{id}/problems': {
    get: {
      tags,
      operationId: 'listSiteProblems',
      summary: 'Check the _headers and _redirects of a directory',
      description:
        'Every faulty line, 100 at most, from the merge on: before it is paid, too. Empty for what has no such files.',
      security: token('store'),
      parameters: [id],
      responses: {
        '200': json(
          'What is wrong.',
          object({
            problems: { type: 'array', items: ref('SiteProblem') },
            more: { type: 'boolean', description: 'Whether there are more than these.' },
          }),
        ),
        ...common('401', '403', '404', '503'),
        '409': refusal('The item is not merged yet.'),
        '422': refusal('The directory is larger or more intricate than one request may read.'),
      },
    },
  },
}
