import { idOf, named, StorageTarget } from './fields.ts'
import { count, list, nullable, object, seconds, text } from './schema.ts'

export const Upload = object({
  id: idOf('upload'),
  name: text(),
  path: nullable(text(), 'Names of the folders above it, joined by `/`.'),
  mimetype: text(),
  blockchain: StorageTarget,
  folder: nullable(named('folder', text()), 'The folder that contains it.'),
  size: count(),
  received: named('offset', count('Bytes: where the upload continues.')),
  createdAt: seconds('When it was begun'),
  expiresAt: seconds('When it is removed unless bytes are added'),
})

/** What is held of an upload, from its beginning. */
export const HeldChunks = object({
  chunkSize: count('Bytes of each chunk but the last.'),
  received: named('offset', count('Bytes: where the upload continues.')),
  hashes: list(text(), 'SHA-256 as hex, of each whole chunk that is held.'),
})
