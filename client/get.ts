import type { FetchOptions } from '../reader/fetch-bytes.ts'
import { readChainContent } from './read-chain-content.ts'
import { readIpfs } from './read-ipfs.ts'
import type { CallOptions } from './resources/call-options.ts'
import type { itemsOf } from './resources/items.ts'
import type { ContentSource } from './types.ts'

/** What to read: txids or a CID (with a path), or the id of a stored item. */
export type GetSource = ContentSource | { id: string }

export interface GetOptions extends CallOptions {
  /** IPFS: the first byte to read, to resume an interrupted read. */
  offset?: number | undefined
  onProgress?(done: number, total: number | undefined): void
}

/** Content whose every byte is verified before it is returned. */
export interface VerifiedContent extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  /** What the content was verified against; for an id, what the service named. */
  source: ContentSource
  /** Size in bytes. */
  size: number
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  text(): Promise<string>
}

export interface GetTools {
  api: string
  items: Pick<ReturnType<typeof itemsOf>, 'source'>
  fetch: FetchOptions['fetch']
}

export async function getContent(tools: GetTools, wanted: GetSource, options: GetOptions): Promise<VerifiedContent> {
  const { signal, onProgress } = options
  const source = 'id' in wanted ? await tools.items.source(wanted.id, { signal }) : wanted
  const reading = { api: tools.api, fetch: tools.fetch, signal, ...(onProgress && { onProgress }) }
  if (source.blockchain === 'IPFS') {
    const file = await readIpfs(source.cid, { ...reading, offset: options.offset })
    return {
      source,
      size: file.size,
      bytes: file.bytes,
      text: file.text,
      [Symbol.asyncIterator]: () => file[Symbol.asyncIterator](),
    }
  }
  const content = await readChainContent(source, reading)
  return {
    source,
    size: content.length,
    bytes: async () => content,
    text: async () => new TextDecoder().decode(content),
    async *[Symbol.asyncIterator]() {
      yield content
    },
  }
}
