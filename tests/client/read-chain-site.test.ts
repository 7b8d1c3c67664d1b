import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readChainSite } from '../../client/index.ts'
import { carOf } from '../kit/car-of.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'

const FILES = { 'index.html': '<h1>home</h1>', 'app/main.js': 'run()', 'app/deep/a b.txt': 'spaces' }

async function readAll(
  content: Uint8Array,
  tamper?: Parameters<typeof chainServer>[1],
): Promise<Record<string, string>> {
  const transactions = chainContent(brotliCompressSync(content), 80)
  const { fetch } = chainServer(transactions, tamper)
  const source = { blockchain: 'Bitcoin', txids: transactions.map(({ txid }) => txid) } as const
  const files: Record<string, string> = {}
  for await (const file of readChainSite(source, { api: 'https://api.test', fetch }))
    files[file.path] = await file.text()
  return files
}

describe('a website on a chain, as the library reads it', () => {
  it('is each of its files, with its path', async () => {
    expect(await readAll(await carOf(FILES))).toEqual(FILES)
  })

  it('is refused where the host alters a byte of a transaction', async () => {
    const tamper = (body: Uint8Array<ArrayBuffer>) => body.map((byte, at) => (at === 100 ? byte ^ 1 : byte))
    await expect(readAll(await carOf(FILES), tamper)).rejects.toMatchObject({ code: 'not_verified' })
  })

  it('is none where a block is not what its CID says, or the content is something else', async () => {
    const car = await carOf(FILES)
    const altered = car.map((byte, at) => (at === car.length - 5 ? byte ^ 1 : byte))
    for (const content of [altered, car.subarray(0, -1), new TextEncoder().encode('<h1>a page</h1>')]) {
      await expect(readAll(content)).rejects.toMatchObject({ code: 'not_a_site' })
    }
  })
})
