import { localSource } from '../../client/folder/local-source.ts'
import type { ByteSource } from '../../client/store/put-content.ts'
import type { Content } from './read-content.ts'

/** A file on this machine, with its bytes. */
export interface ContentSource {
  path: string
  size: number
  mimetype: string
  source: ByteSource
}

/**
 * The files to store, each with one source. The same list is used for every step, because a source remembers what it
 * has read.
 */
export function contentFiles({ files }: Content): ContentSource[] {
  return files.map(({ path, source, size, mimetype }) => ({ path, size, mimetype, source: localSource(source, size) }))
}
