import { type UnixFS, unixfs } from '@helia/unixfs'
import { CarBlockIterator } from '@ipld/car/iterator'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { from } from 'multiformats/hashes/hasher'
import { concatBytes } from '../../protocol/bytes.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import type { Content, SiteFile } from '../content.ts'
import type { HookError } from '../hook-error.ts'
import type { PartTools } from '../part-tools.ts'
import { KeptBlocks, type VerifyBlock } from './kept-blocks.ts'
/** A started node. */
export interface IpfsNode {
  /** The verified bytes of `<cid>[/path]`. */
  read(path: string, options: IpfsReadOptions): Promise<Content>
}

export interface IpfsReadOptions {
  mediaType: string
  /** Whether all of the directory that a page lies in is wanted with it. */
  site: boolean
  onProgress(loaded: number, total: number | undefined): void
}

// The build puts the compiled site/show-site.ts here.
declare const SITE_SCRIPT: string

/** Bytes of one file, and of all that is shown as one site. */
const MOST_BYTES = 128 << 20
const MOST_FILES = 2000
/** The trustless gateway specification lets a block have 2 MiB; some stores have a little more. */
const MOST_BLOCK = 4 << 20

/** Starts a Helia node that has the API host as its one gateway, and the page's database as its block store. */
export async function startIpfsNode(tools: PartTools): Promise<IpfsNode> {
  const { base, database, sha256, download, refresh, fail } = tools
  const verify: VerifyBlock = async (cid, bytes) => {
    const hasher = await helia.getHasher(cid.multihash.code)
    const { digest } = await hasher.digest(bytes, { truncate: cid.multihash.digest.length })
    return digest.length === cid.multihash.digest.length && digest.every((byte, i) => byte === cid.multihash.digest[i])
  }
  const blocks = new KeptBlocks(database, verify)
  const helia = createHeliaLight({
    blockstore: blocks,
    // Pages by plain http have no crypto.subtle, which the usual one asks.
    hashers: [from({ name: 'sha2-256', code: 0x12, encode: sha256 })],
    // The one gateway there is: no routing is needed to find it. Helia hashes what comes.
    blockBrokers: [
      {
        name: 'hookline',
        async retrieve(cid) {
          const url = `${base}/ipfs/${cid}?format=raw`
          const block = concatBytes(await download(url, { limit: MOST_BLOCK }))
          if (!(await verify(cid, block))) refresh(url)
          return block
        },
      },
    ],
    holdGcLock: false,
  })
  await helia.start()
  const fs = unixfs(helia)

  /** Brings what is missing in one request; what does not come this way is fetched block by block. */
  const fetchCar = async (root: CID, path: string, site: boolean, options: IpfsReadOptions) => {
    const location = `${base}/ipfs/${root}${path && `/${path.split('/').map(encodeURIComponent).join('/')}`}`
    const url = `${location}?format=car&dag-scope=${site ? 'all' : 'entity'}`
    const { onProgress } = options
    const chunks = await download(url, { limit: MOST_BYTES, onProgress })
    try {
      for await (const { cid, bytes } of await CarBlockIterator.fromIterable(stream(chunks))) {
        const block = CID.asCID(cid)
        if (!block || !(await verify(block, bytes))) {
          refresh(url)
          throw fail('not_verified', `What came for block ${cid} is another one.`)
        }
        await blocks.put(block, bytes)
      }
    } catch (error) {
      // No CAR at all, or one that ends early: what a gateway sends that lacks a block.
      if (isOurs(error)) throw error
    }
  }

  const readAt = async (root: CID, path: string, options: IpfsReadOptions, offline: boolean): Promise<Content> => {
    const { type, size } = await fs.stat(root, { path, offline })
    if (type === 'directory') {
      if (!options.site) throw fail('not_a_file', `/ipfs/${root}/${path} is a directory; name a file in it.`)
      return readSite(root, path && `${path}/`, 'index.html', options, offline)
    }
    // A page may refer to its neighbours.
    if (options.site && path !== '') return readSite(root, '', path, options, offline)
    if (size > MOST_BYTES) throw fail('too_large', `/ipfs/${root}/${path} is larger than ${MOST_BYTES} bytes.`)
    return { mediaType: options.mediaType, bytes: await readFile(fs, root, path, offline) }
  }

  const readSite = async (root: CID, directory: string, name: string, options: IpfsReadOptions, offline: boolean) => {
    const files: SiteFile[] = []
    let total = 0
    for await (const { path, cid, size } of walk(fs, root, '', offline)) {
      total += size
      if (files.length >= MOST_FILES || total > MOST_BYTES) {
        throw fail('too_large', `/ipfs/${root} is too large to be shown as one site.`)
      }
      files.push({ path, mediaType: mediaTypeOf(path), bytes: await readFile(fs, cid, '', offline) })
    }
    const page = files.find(({ path }) => path === directory + name)
    if (!page) throw fail('not_found', `/ipfs/${root}/${directory} has no ${name}.`)
    const site = { path: page.path, files, script: SITE_SCRIPT }
    return { mediaType: options.mediaType, bytes: page.bytes, site }
  }

  /** Reads what is kept; else brings it in one request, and block by block what did not come so. */
  const readThrough = async (root: CID, path: string, options: IpfsReadOptions): Promise<Content> => {
    try {
      return await readAt(root, path, options, true)
    } catch (error) {
      if (isOurs(error)) throw error
    }
    let reason: unknown
    await fetchCar(root, options.site ? '' : path, options.site, options).catch((error) => {
      // Refused, gone, altered or too large is final; anything else may still come block by block.
      if (isOurs(error) && error.code !== 'unavailable') throw error
      reason = error
    })
    try {
      return await readAt(root, path, options, false)
    } catch (error) {
      throw isOurs(error) ? error : explain(error, reason)
    }
  }

  return {
    async read(source, options) {
      const [first = '', ...rest] = source.split('/').map(decode)
      const path = rest.join('/')
      let root: CID
      try {
        root = CID.parse(first)
      } catch (cause) {
        throw fail('invalid_element', `data-src does not begin with a content id: ${first}.`, cause)
      }
      return blocks.during(async () => {
        try {
          return await readThrough(root, path, options)
        } catch (error) {
          // One page of a site that is too large as a whole is shown by itself.
          if (!options.site || path === '' || !isOurs(error) || error.code !== 'too_large') throw error
          return readThrough(root, path, { ...options, site: false })
        }
      })
    },
  }

  function isOurs(error: unknown): error is HookError {
    return error instanceof Error && error.name === 'HookError'
  }

  /** The reason at the bottom of Helia's nested errors. */
  function explain(error: unknown, reason: unknown): HookError {
    for (let one: unknown = error; one instanceof Error; ) {
      if (isOurs(one)) return one
      if (one.name === 'InvalidMultihashError') return fail('not_verified', 'A block does not have its hash.', error)
      one = one instanceof AggregateError ? one.errors[0] : one.cause
    }
    if (isOurs(reason)) return reason
    return fail('not_found', error instanceof Error ? error.message : String(error), error)
  }
}

interface FoundFile {
  path: string
  cid: CID
  size: number
}

async function* walk(fs: UnixFS, root: CID, prefix: string, offline: boolean): AsyncGenerator<FoundFile> {
  for await (const { name, cid } of fs.ls(root, { offline })) {
    const { type, size } = await fs.stat(cid, { offline })
    if (type === 'directory') yield* walk(fs, cid, `${prefix}${name}/`, offline)
    else yield { path: prefix + name, cid, size: Number(size) }
  }
}

async function readFile(fs: UnixFS, cid: CID, path: string, offline: boolean): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of fs.cat(cid, { path, offline })) parts.push(part)
  return concatBytes(parts)
}

async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
