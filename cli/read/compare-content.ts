import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { type IpfsDirectoryFile, readIpfs, readIpfsDirectory } from '../../client/read-ipfs.ts'
import type { Context } from '../run/context.ts'
import { ipfsReader } from './ipfs-reader.ts'
import { compareWithLocal } from './local-blocks.ts'

/** A file of this machine: where it is read, and its bytes. */
export interface LocalBytes {
  path: string
  size: number
}

/** Whether a CID names exactly the bytes of a file; leaves that are the same are hashed here, not fetched. */
export async function isFileOfCid(context: Context, api: URL, cid: string, local: LocalBytes): Promise<boolean> {
  const { fetch } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  try {
    const file = await readIpfs(cid, { api, fetch, signal })
    const reader = ipfsReader(context, api)
    return (await compareWithLocal(reader, CID.parse(file.cid), local, { untilMissing: false })).answer === 'same'
  } finally {
    // Only its root was needed; the rest of the download would keep the process.
    ending.abort()
  }
}

/** How the directory of a CID differs from a folder, of which `chosen` are the files that count: a sentence for each. */
export async function compareFolder(
  context: Context,
  api: URL,
  cid: string,
  { folder, chosen }: { folder: string; chosen: readonly string[] },
): Promise<string[]> {
  const { fetch, signal, output } = context
  const left = new Set(chosen)
  const differences: string[] = []
  let done = 0
  for await (const file of readIpfsDirectory(cid, { api, fetch, signal })) {
    left.delete(file.path)
    const path = join(folder, file.path)
    const facts = await stat(path).catch(() => undefined)
    if (!facts?.isFile()) differences.push(`${file.path} is missing here`)
    else {
      const local = { path, size: facts.size }
      const reader = ipfsReader(context, api)
      const { answer } = await compareWithLocal(reader, CID.parse(file.cid), local, { untilMissing: false })
      if (answer !== 'same') differences.push(`${file.path} differs`)
    }
    output.step({ step: 'comparing', done: ++done, unit: 'files' })
  }
  output.endStep()
  for (const path of left) differences.push(`${path} is here only`)
  return differences
}

/** The same of the files of a website on a chain. */
export async function compareSite(
  { output }: Pick<Context, 'output'>,
  files: AsyncIterable<IpfsDirectoryFile>,
  { folder, chosen }: { folder: string; chosen: readonly string[] },
): Promise<string[]> {
  const left = new Set(chosen)
  const differences: string[] = []
  let done = 0
  for await (const file of files) {
    left.delete(file.path)
    const path = join(folder, file.path)
    const facts = await stat(path).catch(() => undefined)
    if (!facts?.isFile()) differences.push(`${file.path} is missing here`)
    else if (!(await isFileOfBytes({ path, size: facts.size }, await file.bytes())))
      differences.push(`${file.path} differs`)
    output.step({ step: 'comparing', done: ++done, unit: 'files' })
  }
  output.endStep()
  for (const path of left) differences.push(`${path} is here only`)
  return differences
}

/** Compares piece by piece; the file itself is never in memory as a whole. */
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

/** Codes of what could not be fetched: then nobody knows. */
export const INCOMPLETE: ReadonlySet<string> = new Set([
  'not_found',
  'network',
  'timeout',
  'unavailable',
  'incomplete',
  'invalid_car',
])
