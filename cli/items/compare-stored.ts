import { CID } from 'multiformats/cid'
import type { Client } from '../../client/create-client.ts'
import { siteFiles } from '../../client/read-ipfs.ts'
import type { Item } from '../../client/types.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { siteRoot } from '../../protocol/site-root.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content } from '../content/read-content.ts'
import { compareFolder, compareSite, INCOMPLETE, isFileOfBytes, isFileOfCid } from '../read/compare-content.ts'
import { readChain } from '../read/read-chain.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'

/**
 * Compares what the service calls stored with the local bytes. The txids or the CID that it names are read back from
 * it, each transaction is checked against its txid and each block against its CID.
 * @throws {CommandError} 6 if the bytes differ, 7 if they cannot be read back
 */
export async function compareStored(
  context: Context,
  { client, api }: { client: Client; api: URL },
  content: Content,
  { items, files }: { items: readonly Item[]; files: readonly { path: string; id: string }[] },
): Promise<void> {
  const pathOf = new Map(files.map(({ id, path }) => [id, path]))
  const stored = items.filter(({ status }) => status === '200 OK')
  const count = (done: number) => context.output.step({ step: 'checking', done, total: stored.length, unit: 'items' })
  if (stored.length > 0) count(0)
  for (const [done, item] of stored.entries()) {
    const path = pathOf.get(item.id) ?? item.name
    try {
      if (await isThis(context, { client, api }, content, { item, path })) {
        count(done + 1)
        continue
      }
    } catch (error) {
      const known = error instanceof ReaderError || error instanceof CommandError
      if (!(known && INCOMPLETE.has(error.code))) throw error
      throw new CommandError(
        EXIT.temporary,
        'not_read_back',
        `${path} is stored, says the service, but cannot be read back.`,
        {
          hint: 'Nothing is paid twice: run the same command again.',
          cause: error,
        },
      )
    }
    const message = `The service says that ${path} is stored, but what it names are other bytes.`
    throw new CommandError(EXIT.notVerified, 'not_verified', message, {
      hint: `Keep your copy; the item is ${item.id}.`,
    })
  }
  context.output.endStep()
}

async function isThis(
  context: Context,
  { client, api }: { client: Client; api: URL },
  content: Content,
  { item, path }: { item: Item; path: string },
): Promise<boolean> {
  const source = await client.items.source(item.id, { signal: context.signal })
  const isDirectory = item.mimetype === 'inode/directory'
  if (isDirectory && source.blockchain === 'IPFS') {
    return (await compareFolder(context, api, source.cid, folderOf(content))).length === 0
  }
  if (source.blockchain !== item.blockchain) return false
  if (isDirectory && source.blockchain !== 'IPFS') return isSiteOf(context, api, content, { ...source, item })
  const file = content.files.find((one) => one.path === path)
  if (!file) return false
  const local = { path: file.source, size: file.size }
  if (source.blockchain === 'IPFS') return isFileOfCid(context, api, source.cid, local)
  const { bytes, remove } = await readChain(context, api, source.txids, source.blockchain)
  const same = await isFileOfBytes(local, bytes)
  await remove()
  return same
}

/** Whether transactions contain the website of these files, with the CID that the service names. */
async function isSiteOf(
  context: Context,
  api: URL,
  content: Content,
  { item, txids, blockchain }: { item: Item; txids: readonly string[]; blockchain: Blockchain },
): Promise<boolean> {
  const { bytes, remove } = await readChain(context, api, txids, blockchain)
  const cid = siteRoot(bytes)
  const site = await siteFiles(bytes)
  if (!cid || !site || (item.cid !== undefined && item.cid !== String(CID.decode(cid)))) return false
  const differences = await compareSite(context, site, folderOf(content))
  await remove()
  return differences.length === 0
}

const folderOf = ({ root, files }: Content) => ({ folder: root, chosen: files.map(({ path }) => path) })
