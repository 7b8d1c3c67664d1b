import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { sha256 } from '@noble/hashes/sha2.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChainContent } from '../../client/index.ts'
import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { type ContentIndex, decodeContentIndex, encodeContentIndex } from '../../protocol/content-index.ts'
import { readIndexed } from '../../reader/chain/read-index.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { chainContent, chainServer, dataTransaction } from './chain-server.ts'

const CONTENT = new TextEncoder().encode('<h1>A page in several transactions</h1>'.repeat(30))

/** Content in several transactions, as Brotli and as it is. */
const STORED = { br: brotliCompressSync(CONTENT), identity: CONTENT }
const PARTS = { br: chainContent(STORED.br, 30), identity: chainContent(STORED.identity, 400) }

/** A chain that holds that, and in one transaction what `alter` makes of its index. */
function chainOf(says: Partial<ContentIndex>, alter = (index: Uint8Array) => index) {
  const { encoding = 'br' } = says
  const parts = PARTS[encoding].map(({ txid }) => txid)
  const said = { type: 'text/html', size: CONTENT.length, sha256: toHex(sha256(CONTENT)), encoding, parts }
  const data = alter(encodeContentIndex({ ...said, ...says }))
  const index = dataTransaction(data)
  const { fetch } = chainServer([...PARTS[encoding], index])
  const read = (as: 'content' | 'stored' = 'content', txids = [index.txid]) =>
    readChainContent({ blockchain: 'Nativecoin', txids }, { api: 'https://api.test', fetch, as })
  return { read, data, stored: STORED[encoding], txid: index.txid, parts }
}

describe('one txid that is of an index', () => {
  it('is read as the content that it names, stored as Brotli or as it is', async () => {
    for (const encoding of ['br', 'identity'] as const) {
      const { read, data } = chainOf({ encoding })
      expect(toHex(await read())).toBe(toHex(CONTENT))
      expect(toHex(await read('stored'))).toBe(toHex(data))
    }
  })

  it('is its own bytes in a list, and where its content is not what it says', async () => {
    const { read, txid, parts, data, stored } = chainOf({ encoding: 'identity' })
    expect(toHex(await read('content', [txid, ...parts]))).toBe(toHex(concatBytes([data, stored])))
    for (const says of [
      { sha256: '00'.repeat(32) },
      { size: CONTENT.length - 1 },
      { size: CONTENT.length + 1 },
      { size: 0 },
    ]) {
      const wrong = chainOf(says)
      expect(toHex(await wrong.read())).toBe(toHex(wrong.data))
    }
  })

  it('says that a part is missing, and that its content is too large before it is read', async () => {
    await expect(chainOf({ parts: ['ab'.repeat(32)] }).read()).rejects.toMatchObject({ code: 'not_found' })
    await expect(chainOf({ size: 2 ** 40 }).read()).rejects.toMatchObject({ code: 'too_large' })
  })

  it('gives, altered in ten thousand ways, no byte that was not hashed', async () => {
    const { data } = chainOf({})
    const stored = new Map(PARTS.br.map(({ txid }, part) => [txid, STORED.br.subarray(part * 30, (part + 1) * 30)]))
    const reader = {
      // What a part holds was hashed to its txid before (read-stored-content.test.ts).
      read: async (txids: readonly string[]) => {
        const found = txids.flatMap((txid) => stored.get(txid) ?? [])
        if (found.length < txids.length) throw new ReaderError('not_found', 'A part is missing.')
        return concatBytes(found)
      },
      sha256: async (bytes: Uint8Array) => sha256(bytes),
      decode: async (bytes: Uint8Array, maxOutputLength: number) => {
        try {
          return new Uint8Array(brotliDecompressSync(bytes, { maxOutputLength }))
        } catch {
          return undefined
        }
      },
      maxBytes: 1 << 20,
    }
    let indexes = 0
    const change = fc.tuple(fc.nat(data.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(20), async (changes, cut) => {
        let altered = data.slice()
        for (const [at, byte] of changes) altered[at] = byte
        if (cut === 0) altered = altered.slice(0, changes[0]?.[0] || 1)
        const index = decodeContentIndex(altered)
        if (index) indexes++
        const content = await readIndexed(altered, reader).catch((error) => {
          expect(['not_found', 'too_large']).toContain(error.code)
        })
        if (content) expect(toHex(sha256(content.bytes))).toBe(index?.sha256)
      }),
      { numRuns: 10_000 },
    )
    expect(indexes).toBeGreaterThan(1_000)
  })
})
