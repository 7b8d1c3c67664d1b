import { CID } from 'multiformats/cid'
import type { Client } from '../../client/create-client.ts'
import { type IpfsDirectoryEntry, readIpfsEntries, siteEntries } from '../../client/read-ipfs.ts'
import type { PutResult } from '../../client/store/put.ts'
import type { Item } from '../../client/types.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { siteRoot } from '../../protocol/site-root.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content } from '../content/read-content.ts'
import { INCOMPLETE } from '../read/compare-content.ts'
import { ipfsReader } from '../read/ipfs-reader.ts'
import { openWithLocal } from '../read/local-blocks.ts'
import { readChain } from '../read/read-chain.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { type LocalChange, type ReadBack, readBack } from './read-back.ts'

/** What an order stored: its items, the paths of its files, and the hash of what was sent of each. */
export interface StoredOrder {
  items: readonly Item[]
  files: readonly { path: string; id: string }[]
  hashes: PutResult['hashes']
}

/** A local file that is no longer what was sent. */
export interface ChangedFile {
  path: string
  how: LocalChange
}

/**
 * Compares what the service calls stored with what was hashed before it was sent. The txids or the CID that it names
 * are read back from it, each transaction is checked against its txid and each block against its CID. Returns the files
 * that changed on this machine since then, which is not the service's fault.
 * @throws {CommandError} 6 if the stored bytes are others, 7 if they cannot be read back
 */
export async function compareStored(
  context: Context,
  { client, api }: { client: Client; api: URL },
  content: Content,
  { items, files, hashes }: StoredOrder,
): Promise<ChangedFile[]> {
  const pathOf = new Map(files.map(({ id, path }) => [id, path]))
  const sent = new Map(hashes.map(({ path, sha256 }) => [path, sha256]))
  const stored = items.filter(({ status }) => status === '200 OK')
  const count = (done: number) => context.output.step({ step: 'checking', done, total: stored.length, unit: 'items' })
  if (stored.length > 0) count(0)
  const changed: ChangedFile[] = []
  for (const [done, item] of stored.entries()) {
    const path = pathOf.get(item.id) ?? item.name
    const order = { context, client, api, content, sent }
    const found = await readItem(order, item, path).catch((error: unknown) => {
      const known = error instanceof ReaderError || error instanceof CommandError
      if (!(known && INCOMPLETE.has(error.code))) throw error
      const message = `${path} is stored, says the service, but cannot be read back.`
      const hint = 'Nothing is paid twice: run the same command again.'
      throw new CommandError(EXIT.temporary, 'not_read_back', message, { hint, cause: error })
    })
    if (!found) {
      const message = `The service says that ${path} is stored, but what it names are other bytes.`
      const hint = `These are not the bytes that were sent. Keep your copy; the item is ${item.id}.`
      throw new CommandError(EXIT.notVerified, 'not_verified', message, { hint })
    }
    changed.push(...found)
    count(done + 1)
  }
  context.output.endStep()
  return changed
}

interface Order {
  context: Context
  client: Client
  api: URL
  content: Content
  /** SHA-256 by path. */
  sent: ReadonlyMap<string, string>
}

/** The local changes of an item that has the bytes that were sent; `undefined` if it has others. */
async function readItem(order: Order, item: Item, path: string): Promise<ChangedFile[] | undefined> {
  const { context, client, api, content } = order
  const { signal, fetch } = context
  const source = await client.items.source(item.id, { signal })
  if (source.blockchain !== item.blockchain) return undefined
  if (item.mimetype === 'inode/directory') {
    if (source.blockchain !== 'IPFS') return readSite(order, item, { ...source })
    const entries = readIpfsEntries(source.cid, { api, fetch, signal })
    return readDirectory(order, entries, (file, local) => readIpfsFile(order, file.cid, local))
  }
  const file = content.files.find((one) => one.path === path)
  if (!file) throw new Error(`The item ${item.id} is none of the files that were sent.`)
  if (source.blockchain === 'IPFS') return judge(order, path, await readIpfsFile(order, source.cid, file.source))
  const { bytes, remove } = await readChain(context, api, source.txids, source.blockchain)
  const found = await readBack([bytes], file.source)
  await remove()
  return judge(order, path, found)
}

async function readIpfsFile({ context, api }: Order, cid: string, local: string): Promise<ReadBack | undefined> {
  const file = await openWithLocal(ipfsReader(context, api), CID.parse(cid), local)
  return file && readBack(file.pieces, local)
}

function judge({ sent }: Order, path: string, found: ReadBack | undefined): ChangedFile[] | undefined {
  if (found?.sha256 !== sent.get(path)) return undefined
  return found?.change === undefined ? [] : [{ path, how: found.change }]
}

/** A website in transactions, with the CID that the service names. */
async function readSite(
  order: Order,
  item: Item,
  { txids, blockchain }: { txids: readonly string[]; blockchain: Blockchain },
): Promise<ChangedFile[] | undefined> {
  const { bytes, remove } = await readChain(order.context, order.api, txids, blockchain)
  const cid = siteRoot(bytes)
  const entries = await siteEntries(bytes)
  if (!cid || !entries || (item.cid !== undefined && item.cid !== String(CID.decode(cid)))) return undefined
  const changed = await readDirectory(order, entries, async (file, local) => readBack([await file.bytes()], local))
  await remove()
  return changed
}

type FileEntry = Extract<IpfsDirectoryEntry, { kind: 'file' }>

/** The same for a directory: it has exactly the files that were sent, and the empty folders. */
async function readDirectory(
  order: Order,
  entries: AsyncIterable<IpfsDirectoryEntry>,
  read: (file: FileEntry, local: string) => Promise<ReadBack | undefined>,
): Promise<ChangedFile[] | undefined> {
  const { context, content } = order
  const files = new Map(content.files.map(({ path, source }) => [path, source]))
  const folders = new Set(content.emptyFolders)
  const changed: ChangedFile[] = []
  let done = 0
  for await (const entry of entries) {
    const { path } = entry
    const local = files.get(path)
    if (entry.kind === 'file') {
      const found = local === undefined ? undefined : judge(order, path, await read(entry, local))
      if (!found) return undefined
      files.delete(path)
      changed.push(...found)
      context.output.step({ step: 'comparing', done: ++done, unit: 'files' })
    } else if (entry.kind === 'link' || !folders.delete(path)) return undefined
  }
  return files.size + folders.size === 0 ? changed : undefined
}

/** A sentence for each file that changed on this machine, at most some. */
export function describeChanged(changed: readonly ChangedFile[]): string[] {
  if (changed.length === 0) return []
  const more = changed.length - MAX_NAMED
  return [
    ...changed.slice(0, MAX_NAMED).map(({ path, how }) => `${path} ${HOW[how]} on this machine after it was sent.`),
    ...(more > 0 ? [`So did ${more} more; --json lists all of them.`] : []),
    'What is stored was read back, and has the SHA-256 of what was sent. The same command stores what is here now.',
  ]
}

const MAX_NAMED = 20
const HOW: Record<LocalChange, string> = {
  changed: 'changed',
  removed: 'was removed',
  unreadable: 'became unreadable',
}
