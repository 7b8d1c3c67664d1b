import { parseMediaType } from '../../contract/media-type.ts'
import { typeOfBytes } from '../../protocol/inscriptions/type-of-bytes.ts'
import type { StoredContent } from './read-named.ts'

/** Content that others wrote, as it is stored, and what it is. */
export interface NamedContent extends Omit<StoredContent, 'said'> {
  /** The media type that the chain says, where it is a valid one; else what the first bytes say. */
  type: string
  typeFrom: 'chain' | 'bytes'
}

/** Content with its media type: apart from reading, since elements of a page say how they are shown. */
export function withType({ said, ...content }: StoredContent): NamedContent {
  const type = said === undefined ? undefined : parseMediaType(said.trim())
  if (type !== undefined) return { ...content, type, typeFrom: 'chain' }
  return { ...content, type: typeOfBytes(content.body) ?? 'application/octet-stream', typeFrom: 'bytes' }
}
