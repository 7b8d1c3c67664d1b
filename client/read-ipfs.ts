import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { siteRoot } from '../protocol/site-root.ts'
import type { FetchOptions } from '../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../reader/fetch-with-retries.ts'
import type { IpfsReader } from '../reader/ipfs/block-source.ts'
import type { IpfsLimits } from '../reader/ipfs/ipfs-limits.ts'
import type { IpfsEntry } from '../reader/ipfs/open-ipfs.ts'
import { readWhole } from '../reader/read-whole.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { anonymousFetch } from './anonymous-fetch.ts'

/** What identifies a block (CID specification); a `CID` of `multiformats` fits. */
export interface ContentId {
  readonly version: number
  readonly code: number
  readonly bytes: Uint8Array
  toString(): string
}

/** Stores blocks by CID between reads. Stored blocks are verified again when they are read. */
export interface BlockStore {
  get(cid: ContentId): Promise<Uint8Array | undefined>
  /** Replaces what is stored under the CID. */
  put(cid: ContentId, bytes: Uint8Array): Promise<void>
}

export interface ReadIpfsOptions {
  /** Address of any trustless gateway, such as a host with the API. Its data is verified, not trusted. */
  api: string | URL
  /** The first byte to read, to resume an interrupted read. */
  offset?: number | undefined
  /** The last byte to read, of a part of the file. */
  end?: number | undefined
  fetch?: FetchOptions['fetch'] | undefined
  signal?: AbortSignal | undefined
  /** Stores verified blocks between reads. */
  store?: BlockStore | undefined
  limits?: Partial<IpfsLimits> | undefined
  /** Milliseconds without a byte after which the host counts as unreachable. */
  silence?: number | undefined
  onProgress?(bytes: number, total: number): void
}

/** A file whose every block is verified before its bytes are returned. It can be read once. */
export interface IpfsContent extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  /** Of the file itself. */
  cid: string
  /** Bytes of the whole file. */
  size: number
  /** All bytes at once. @throws {ReaderError} `too_large` beyond 1 GiB. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  text(): Promise<string>
}

/** A file of a directory. */
export interface IpfsDirectoryFile extends IpfsContent {
  /** Relative to the directory, with slashes; '' if the CID is a file. */
  path: string
}

/** An entry of a directory: a file, a folder in which nothing is, or a symbolic link, which is not followed. */
export type IpfsDirectoryEntry = ({ kind: 'file' } & IpfsDirectoryFile) | { kind: 'folder' | 'link'; path: string }

const MAX_IN_MEMORY = 2 ** 30

/** The file at `<cid>[/path]`, from `offset` on, up to `end`. @throws {ReaderError} `not_found`, `not_a_file`, `not_verified` … */
export async function readIpfs(source: string, options: ReadIpfsOptions): Promise<IpfsContent> {
  const { openIpfsFile, reader } = await load(options)
  const { offset = 0, end, onProgress } = options
  const file = await openIpfsFile(reader, source, offset, end)
  return contentOf(file.cid.toString(), file.size, { offset, end }, () => file.stream(), onProgress)
}

/** Every file below `<cid>[/path]`. Each must be read or skipped before the next one is requested. */
export async function* readIpfsDirectory(source: string, options: ReadIpfsOptions): AsyncGenerator<IpfsDirectoryFile> {
  yield* filesOf(readIpfsEntries(source, options))
}

/** As {@link readIpfsDirectory}, with empty folders and symbolic links. */
export async function* readIpfsEntries(source: string, options: ReadIpfsOptions): AsyncGenerator<IpfsDirectoryEntry> {
  const { walkIpfs, reader } = await load(options)
  for await (const entry of walkIpfs(reader, source)) yield directoryEntry(entry, options.onProgress)
}

/** The files among the entries of a directory. */
export async function* filesOf(entries: AsyncIterable<IpfsDirectoryEntry>): AsyncGenerator<IpfsDirectoryFile> {
  for await (const entry of entries) {
    if (entry.kind !== 'file') continue
    const { kind: _, ...file } = entry
    yield file
  }
}

function directoryEntry(entry: IpfsEntry, onProgress: ReadIpfsOptions['onProgress']): IpfsDirectoryEntry {
  if (entry.kind !== 'file') return entry
  const { kind, path, node, stream } = entry
  return { kind, path, ...contentOf(node.cid.toString(), node.size, {}, stream, onProgress) }
}

/**
 * Everything below `path` of the website in on-chain content, as {@link readIpfsEntries} returns it of a directory;
 * `undefined` if the content is no website.
 */
export async function siteEntries(
  content: Uint8Array,
  path = '',
): Promise<AsyncGenerator<IpfsDirectoryEntry> | undefined> {
  if (!siteRoot(content)) return undefined
  const { openChainSite, walkIpfs } = await import('../reader/ipfs/index.ts')
  const site = await openChainSite(content, sha256)
  if (!site) return undefined
  const { root, reader } = site
  async function* entries() {
    const names = path.split('/').filter((name) => name !== '')
    const place = [root, ...names.map(encodeURIComponent)].join('/')
    for await (const entry of walkIpfs(reader, place)) yield directoryEntry(entry, undefined)
  }
  return entries()
}

/** The modules that read IPFS are loaded on demand. */
async function load({ api, fetch = anonymousFetch, signal, store, limits, silence = 30_000 }: ReadIpfsOptions) {
  const { blockHashes, IPFS_LIMITS, openIpfsFile, walkIpfs } = await import('../reader/ipfs/index.ts')
  const reader: IpfsReader = {
    gateway: String(api).replace(/\/+$/, ''),
    download: (request) => fetchWithRetries(request, { fetch, signal, silence }),
    signal,
    hashes: blockHashes(sha256),
    store,
    limits: { ...IPFS_LIMITS, ...limits },
  }
  return { openIpfsFile, walkIpfs, reader }
}

/** The runtime's own SHA-256 is faster for blocks of a megabyte; pages over plain http have none. */
async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  if (!crypto.subtle) return nobleSha256(bytes)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

function contentOf(
  cid: string,
  size: number,
  { offset = 0, end = size - 1 }: Pick<ReadIpfsOptions, 'offset' | 'end'>,
  stream: () => AsyncGenerator<Uint8Array>,
  onProgress: ReadIpfsOptions['onProgress'],
): IpfsContent {
  async function* pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let done = offset
    for await (const piece of stream()) {
      done += piece.length
      // Copied, because a piece is a view of a whole block.
      yield new Uint8Array(piece)
      onProgress?.(done, size)
    }
  }
  const bytes = async () => {
    if (Math.min(end + 1, size) - offset > MAX_IN_MEMORY) {
      throw new ReaderError(
        'too_large',
        `${size} bytes are too many to read at once; iterate over the content instead.`,
      )
    }
    return readWhole(pieces())
  }
  return { cid, size, bytes, text: async () => new TextDecoder().decode(await bytes()), [Symbol.asyncIterator]: pieces }
}
