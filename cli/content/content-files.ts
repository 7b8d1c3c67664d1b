import { localSource } from '../../client/folder/local-source.ts'
import type { ByteSource } from '../../client/put/put-content.ts'
import type { Content } from './read-content.ts'

/** A file of this machine, with its bytes. */
export interface ContentSource {
  path: string
  size: number
  mimetype: string
  source: ByteSource
}

/** The files of what is to be stored. Each holds what was read of it: one list for all that is done with them. */
export function contentFiles({ files }: Content): ContentSource[] {
  return files.map(({ path, source, size, mimetype }) => ({ path, size, mimetype, source: localSource(source, size) }))
}
