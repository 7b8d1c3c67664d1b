import type { Stats } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CID } from 'multiformats/cid'
import type { IpfsReader } from '../../reader/ipfs/block-source.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'
import { compareWithLocal } from './local-blocks.ts'
import { partOf, removePart, writeVerified } from './write-verified.ts'

/** What a get did with one file. */
export interface Written {
  path: string
  bytes: number
  /** `same`: it existed with the same content. `resumed`: it was continued after its verified part. */
  how: 'written' | 'resumed' | 'same'
}

export interface GetFileOptions {
  /** Replace an existing file that is different. */
  force: boolean
  /** Opens the file from this byte on. */
  openAt: (offset: number) => Promise<AsyncIterable<Uint8Array>>
}

/**
 * Writes a file of IPFS to `path`. If the same file exists, no leaf is downloaded; an interrupted download is continued
 * after its verified bytes.
 * @throws {CommandError} 5 if a different file, or a folder, exists
 */
export async function getFile(
  reader: IpfsReader,
  file: { cid: string; size: number },
  path: string,
  { force, openAt }: GetFileOptions,
): Promise<Written> {
  const cid = CID.parse(file.cid)
  const there = await stat(path).catch(() => undefined)
  if (there) {
    requireFile(path, there)
    const { answer } = await compareWithLocal(reader, cid, { path, size: there.size }, { untilMissing: true })
    if (answer === 'same') {
      await removePart(path)
      return { path, bytes: file.size, how: 'same' }
    }
    if (!force) throw inTheWay(path, 'exists and is different', OTHER_NAME)
  }
  const part = await stat(partOf(path)).catch(() => undefined)
  const local = { path: partOf(path), size: part?.size ?? 0 }
  const verified = part?.isFile() ? (await compareWithLocal(reader, cid, local, { untilMissing: true })).verified : 0
  const bytes = await writeVerified(path, verified, await openAt(verified))
  return { path, bytes, how: verified > 0 ? 'resumed' : 'written' }
}

/**
 * Writes verified bytes to `path` and creates its folders.
 * @throws {CommandError} 5 if a different file, or a folder, exists
 */
export async function getBytes(path: string, bytes: Uint8Array, { force }: { force: boolean }): Promise<Written> {
  const found = await stat(path).catch(() => undefined)
  if (found) requireFile(path, found)
  const there = await readFile(path).catch(() => undefined)
  if (there && Buffer.compare(there, bytes) === 0) {
    await removePart(path)
    return { path, bytes: bytes.length, how: 'same' }
  }
  if (there && !force) throw inTheWay(path, 'exists and is different', OTHER_NAME)
  await makeFolder(dirname(path))
  await writeVerified(path, 0, [bytes])
  return { path, bytes: bytes.length, how: 'written' }
}

/**
 * Creates a folder, and those that it is in.
 * @throws {CommandError} 5 if a file is in the way
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw inTheWay(path, 'cannot be made, because a file is in the way', 'Give another name with -o.')
  }
}

const OTHER_NAME = 'Give another name with -o, or replace it with --force.'

/** @throws {CommandError} 5 for a folder, a device or a pipe, which even --force does not replace */
function requireFile(path: string, there: Stats): void {
  if (there.isFile()) return
  const [what, hint] = there.isDirectory()
    ? ['a folder', 'Give the name of a file in it with -o.']
    : ['not a file', 'Give another name with -o.']
  throw inTheWay(path, `is ${what}`, hint)
}

function inTheWay(path: string, why: string, hint: string): CommandError {
  return new CommandError(EXIT.refused, 'file_exists', `${path} ${why}. It was not changed.`, { hint })
}
