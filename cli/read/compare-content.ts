import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import type { SkippedPath } from '../../client/folder/folder-files.ts'
import type { Listing } from '../../client/folder/list-folder.ts'
import { type IpfsDirectoryEntry, type IpfsDirectoryFile, readIpfs, readIpfsEntries } from '../../client/read-ipfs.ts'
import type { Context } from '../run/context.ts'
import { ipfsReader } from './ipfs-reader.ts'
import { compareWithLocal } from './local-blocks.ts'

/** A file on this machine: its path and size. */
export interface LocalBytes {
  path: string
  size: number
}

/** A folder on this machine with what is compared of it: the files that a put would store, and the empty folders. */
export interface LocalFolder extends Pick<Listing, 'files' | 'emptyFolders' | 'skipped'> {
  folder: string
}

/** What a comparison found. */
export interface FolderComparison {
  /** One sentence each. */
  differences: string[]
  /** What a put leaves out and the name does not have either: it was not compared. */
  notCompared: SkippedPath[]
}

/** Whether a CID names exactly the bytes of a file. Equal leaves are hashed here, not downloaded. */
export async function isFileOfCid(context: Context, api: URL, cid: string, local: LocalBytes): Promise<boolean> {
  const { fetch } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  try {
    const file = await readIpfs(cid, { api, fetch, signal })
    const reader = ipfsReader(context, api)
    return (await compareWithLocal(reader, CID.parse(file.cid), local, { untilMissing: false })).answer === 'same'
  } finally {
    // Only the root was needed; an unfinished download would keep the process running.
    ending.abort()
  }
}

/** Compares the directory of a CID with a folder. */
export function compareFolder(context: Context, api: URL, cid: string, local: LocalFolder): Promise<FolderComparison> {
  const { fetch, signal } = context
  const entries = readIpfsEntries(cid, { api, fetch, signal })
  return compareEntries(context, entries, local, async (file, own) => {
    const reader = ipfsReader(context, api)
    return (await compareWithLocal(reader, CID.parse(file.cid), own, { untilMissing: false })).answer === 'same'
  })
}

/** The same for the entries of a website on a chain. */
export function compareSite(
  context: Pick<Context, 'output'>,
  entries: AsyncIterable<IpfsDirectoryEntry>,
  local: LocalFolder,
): Promise<FolderComparison> {
  return compareEntries(context, entries, local, async (file, own) => isFileOfBytes(own, await file.bytes()))
}

async function compareEntries(
  { output }: Pick<Context, 'output'>,
  entries: AsyncIterable<IpfsDirectoryEntry>,
  { folder, files, emptyFolders, skipped }: LocalFolder,
  isSame: (file: IpfsDirectoryFile, own: LocalBytes) => Promise<boolean>,
): Promise<FolderComparison> {
  const hereOnly = new Set(files.map(({ path }) => path))
  const named = new Set<string>()
  const differences: string[] = []
  let done = 0
  for await (const entry of entries) {
    const { kind, path } = entry
    if (kind === 'file' && path === '') return { differences: ['the name is that of a file'], notCompared: [] }
    for (const one of withParents(path)) named.add(one)
    if (kind === 'file') hereOnly.delete(path)
    const own = join(folder, path)
    const facts = await stat(own).catch(() => undefined)
    if (kind === 'link') differences.push(`${path} is a symbolic link there, which is not compared`)
    else if (kind === 'folder' && !facts?.isDirectory()) differences.push(`${path}/ is missing here, an empty folder`)
    else if (kind === 'file' && !facts?.isFile()) differences.push(`${path} is missing here`)
    else if (kind === 'file' && !(await isSame(entry, { path: own, size: facts?.size ?? 0 })))
      differences.push(`${path} differs`)
    output.step({ step: 'comparing', done: ++done, unit: 'entries' })
  }
  output.endStep()
  for (const path of hereOnly) differences.push(`${path} is here only`)
  for (const path of emptyFolders) if (!named.has(path)) differences.push(`${path}/ is here only`)
  return { differences, notCompared: skipped.filter(({ path }) => !named.has(path)) }
}

/** A path, and those of all folders above it. */
function withParents(path: string): string[] {
  const names = path.split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Whether a file has these bytes. It is read piece by piece, never as a whole. */
export async function isFileOfBytes({ path, size }: LocalBytes, bytes: Uint8Array): Promise<boolean> {
  if (size !== bytes.length) return false
  const file = await open(path)
  try {
    let position = 0
    for await (const piece of file.createReadStream()) {
      if (!Buffer.isBuffer(piece) || Buffer.compare(piece, bytes.subarray(position, position + piece.length)) !== 0)
        return false
      position += piece.length
    }
    return position === bytes.length
  } finally {
    await file.close()
  }
}

/** Error codes of a failed download: the result of the comparison is unknown. */
export const INCOMPLETE: ReadonlySet<string> = new Set([
  'not_found',
  'network',
  'timeout',
  'unavailable',
  'incomplete',
  'invalid_car',
])
