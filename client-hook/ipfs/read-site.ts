import type { CarRequest } from '../../reader/ipfs/car-reader.ts'
import type { IpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content, SiteFile } from '../content.ts'
import { codeOf } from './explain-error.ts'
import { type DagReader, MAX_BYTES, readFile } from './read-file.ts'
import { SiteFolders } from './site-folders.ts'

/** Paths that one page may ask for. */
const MAX_FILES = 2000

/** Runs `use` with the blocks of one file; `plan` is what is read first. All files of a page share their limits. */
export type ReadBlocks = <Result>(plan: CarRequest, use: (reader: DagReader) => Promise<Result>) => Promise<Result>

/** A page of a site. */
export interface PagePath extends IpfsPath {
  /** Query and fragment behind the path. */
  place?: string
}

interface SiteRequest extends PagePath {
  /** Of the page, if its element says it; else the ending of its name does. */
  mediaType: string | undefined
  complete: boolean
  /** Another page of the site. */
  open(names: string[]): Promise<Content>
}

/**
 * The page at `<cid>[/path]`, for a directory its index.html, with the way to read other files below the CID, because the
 * page may refer to them. A CID that is a file is returned without others.
 * @throws {ReaderError} `too_large`, `not_found` …
 */
export async function readSite(
  readBlocks: ReadBlocks,
  { root, names, mediaType, complete, place = '', open }: SiteRequest,
): Promise<Content> {
  const folders = new SiteFolders(root)
  let bytesLeft = MAX_BYTES
  let filesLeft = MAX_FILES
  const readNames = async (wanted: readonly string[]): Promise<SiteFile | undefined> => {
    if (filesLeft-- <= 0) throw tooLarge()
    return await readBlocks(folders.plan(wanted), async (reader) => {
      const found = await folders.find(reader, { names: [...wanted] })
      if (!found) return undefined
      if (found.node.size > bytesLeft) throw tooLarge()
      bytesLeft -= found.node.size
      const path = found.names.join('/')
      return { path, mediaType: mediaTypeOf(path), bytes: await readFile(reader, found.node.cid) }
    })
  }
  const page = await readNames(names)
  if (!page)
    throw new ReaderError('not_found', `/ipfs/${[root, ...names].join('/')} is neither a file nor has an index.html.`)
  const { bytes, path } = page
  const shown = { mediaType: mediaType ?? page.mediaType, bytes }
  if (path === '') return shown
  const read = async (wanted: string) => {
    try {
      return await readNames(namesOf(wanted))
    } catch (error) {
      // The page is shown without what is too large for it.
      if (codeOf(error) === 'too_large') return undefined
      throw error
    }
  }
  return {
    ...shown,
    site: {
      root: root.toV1().toString(),
      place,
      path,
      complete,
      read,
      open: (to) => open(namesOf(to)),
    },
  }
}

/** The path of a page, and what a URL has behind it: query and fragment. */
export function splitPlace(path: string): [path: string, place: string] {
  const at = path.search(/[?#]/)
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)]
}

/** The names of a path; of one that ends in a slash, the index.html there. */
function namesOf(path: string): string[] {
  const names = path.split('/').filter(Boolean)
  return names.length === 0 || path.endsWith('/') ? [...names, 'index.html'] : names
}

function tooLarge(): ReaderError {
  return new ReaderError('too_large', 'The files that the page uses are too large to be shown with it.')
}
