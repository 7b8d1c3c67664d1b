import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { type IpfsDirectoryFile, readIpfs, readIpfsDirectory } from '../../client/read-ipfs.ts'
import type { Context } from '../run/context.ts'
import { ipfsReader } from './ipfs-reader.ts'
import { compareWithLocal } from './local-blocks.ts'

/** A file on this machine: its path and size. */
export interface LocalBytes {
  path: string
  size: number
}

/** A folder on this machine, and the paths of its files that are compared. */
interface LocalFolder {
  folder: string
  chosen: readonly string[]
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

/**
 * The differences between the directory of a CID and a folder: one sentence each.
 */
export function compareFolder(context: Context, api: URL, cid: string, local: LocalFolder): Promise<string[]> {
  const { fetch, signal } = context
  const files = readIpfsDirectory(cid, { api, fetch, signal })
  return compareFiles(context, files, local, async (file, own) => {
    const reader = ipfsReader(context, api)
    return (await compareWithLocal(reader, CID.parse(file.cid), own, { untilMissing: false })).answer === 'same'
  })
}

/** The same for the files of a website on a chain. */
export function compareSite(
  context: Pick<Context, 'output'>,
  files: AsyncIterable<IpfsDirectoryFile>,
  local: LocalFolder,
): Promise<string[]> {
  return compareFiles(context, files, local, async (file, own) => isFileOfBytes(own, await file.bytes()))
}

async function compareFiles(
  { output }: Pick<Context, 'output'>,
  files: AsyncIterable<IpfsDirectoryFile>,
  { folder, chosen }: LocalFolder,
  isSame: (file: IpfsDirectoryFile, own: LocalBytes) => Promise<boolean>,
): Promise<string[]> {
  const left = new Set(chosen)
  const differences: string[] = []
  let done = 0
  for await (const file of files) {
    left.delete(file.path)
    const path = join(folder, file.path)
    const facts = await stat(path).catch(() => undefined)
    if (!facts?.isFile()) differences.push(`${file.path} is missing here`)
    else if (!(await isSame(file, { path, size: facts.size }))) differences.push(`${file.path} differs`)
    output.step({ step: 'comparing', done: ++done, unit: 'files' })
  }
  output.endStep()
  for (const path of left) differences.push(`${path} is here only`)
  return differences
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
