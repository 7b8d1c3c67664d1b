import * as v from 'valibot'
import { BLOCKCHAINS, STORAGE_TARGETS } from '../protocol/chains.ts'
import { OBJECT_ID_PATTERN } from '../protocol/object-id.ts'
import { MEDIA_TYPE, MEDIA_TYPE_LENGTH, parseMediaType } from './media-type.ts'
import { list, noted, object, optional, type Schema, text, words } from './schema.ts'

/** What is part of many bodies and answers. */
export const ObjectId = text('Of an item or a folder.', {
  pattern: OBJECT_ID_PATTERN,
  sentence: 'must be an id, 24 lowercase hex digits.',
})
export const Txid = text('Of a transaction, in the order that people read.', {
  pattern: '^[0-9a-fA-F]{64}$',
  sentence: 'must be a transaction id, 64 hex digits.',
})
export const Blockchain = words(
  BLOCKCHAINS,
  'Capitals matter.',
  `must be one of ${BLOCKCHAINS.join(', ')}, written exactly so.`,
)
export const StorageTarget = words(
  STORAGE_TARGETS,
  'Capitals matter.',
  `must be one of ${STORAGE_TARGETS.join(', ')}, written exactly so.`,
)

export const FolderId = noted(ObjectId, 'Of a folder.')

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
  'must be a media type such as text/html or image/png; multipart types and charset=utf-7 are not taken.'
export const MediaType = v.pipe(
  noted(v.string(NO_MEDIA_TYPE), 'A media type, parameters and all.', {
    pattern: MEDIA_TYPE.source,
    maxLength: MEDIA_TYPE_LENGTH,
  }),
  v.check((type) => parseMediaType(type) !== undefined, NO_MEDIA_TYPE),
  v.transform((type) => parseMediaType(type) ?? type),
)

export const MESSAGE = object({ message: text() })
export const CURSOR = optional(text('Goes on behind this page; absent on the last.'))
/** One page of a list: its rows under `name`, and the cursor behind it. */
export function pageOf<Name extends string, Row extends Schema>(name: Name, row: Row) {
  return object({ [name]: list(row), cursor: CURSOR })
}

/** An id as a parameter; `description` says of what. */
export const idOf = (description: string) => noted(ObjectId, description)
