import type { ByteRange } from '../../contract/byte-range.ts'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { BlockStore } from '../../reader/ipfs/block-source.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { type IpfsFile, openIpfsFile } from '../../reader/ipfs/open-ipfs.ts'
import { knownMediaType } from '../../reader/media-type-of.ts'
import type { OpenContent, Tools, Wanted } from './content.ts'
import { downloadFor } from './download.ts'
import { firstOf, type Won, worstOf } from './first-of.ts'

/** Blocks that came before they were asked for may take so many bytes, for each file that is read. */
const LIMITS = { ...IPFS_LIMITS, maxHeldBytes: 8 << 20 }

/**
 * The file at `<cid>[/path]` on IPFS. Only the blocks of what is wanted are asked for, and each is verified before its bytes
 * are there. Where a host fails or lies on the way, the next one goes on at that byte.
 * @throws {ReaderError}
 */
export async function openIpfsContent(
  tools: Tools & { blocks?: BlockStore | undefined },
  place: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<OpenContent> {
  const hashes = blockHashes(tools.sha256)
  const open = (hosts: readonly string[], { start, end }: Wanted) =>
    firstOf(hosts, signal, (gateway, attempt) => {
      const download = downloadFor(tools, attempt)
      const reader = { gateway, download, signal: attempt.signal, hashes, store: tools.blocks, limits: LIMITS }
      return openIpfsFile(reader, place, start, end)
    })
  const first = await open(tools.hosts, wanted)
  const { cid, size } = first.result

  async function* read({ start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    const isOpen = start === wanted.start && end === Math.min(wanted.end ?? size - 1, size - 1)
    if (!isOpen) await close(first)
    let hosts = tools.hosts
    let won = isOpen ? first : await open(hosts, { start, end })
    const failures: unknown[] = []
    for (let position = start; ; ) {
      try {
        for await (const piece of won.result.stream()) {
          position += piece.length
          yield piece
        }
        return
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
      } finally {
        won.abort()
      }
      hosts = hosts.filter((host) => host !== won.host)
      if (hosts.length === 0) throw worstOf(failures)
      won = await open(hosts, { start: position, end }).catch((error: unknown) => {
        throw worstOf([...failures, error])
      })
    }
  }
  return { size, etag: `"${cid}"`, type: knownMediaType(place), read }
}

async function close({ result, abort }: Won<IpfsFile>): Promise<void> {
  abort()
  await result.close()
}
