import { withHTTP } from '@helia/http'
import { createVerifiedFetch } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'

/** `@helia/verified-fetch` as people use it, with one gateway as all that it knows of the network. */
async function verifiedFetchFrom(gateway: string) {
  // The gateway is named as a router too: it has none, says so, and nobody is asked beyond it.
  const sources = { delegatedRouters: [gateway], recursiveGateways: [gateway], allowInsecure: true, allowLocal: true }
  const helia = await withHTTP(createHeliaLight(), sources).start()
  return { helia, verifiedFetch: await createVerifiedFetch(helia) }
}

describe('@helia/verified-fetch with this gateway as its only source', () => {
  const large = Uint8Array.from({ length: 900_000 }, (_, index) => (index * 2654435761) >>> 24)
  let worker: RunningWorker
  let client: Awaited<ReturnType<typeof verifiedFetchFrom>>
  let root: string
  let cids: Record<string, string>

  beforeAll(async () => {
    worker = await startWorker()
    const stored = await storeFiles(worker, { 'index.html': '<p>Hello', 'docs/a.txt': 'deep', 'large.bin': large })
    root = stored.root
    cids = stored.cids
    client = await verifiedFetchFrom(worker.url)
  })

  afterAll(async () => {
    await client?.helia.stop()
    await worker?.close()
  })

  it('fetches a file of several blocks', async () => {
    const response = await client.verifiedFetch(`ipfs://${cids['large.bin']}`)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer()).equals(large)).toBe(true)
  })

  it('fetches a file below a directory', async () => {
    const response = await client.verifiedFetch(`ipfs://${root}/docs/a.txt`)
    expect(await response.text()).toBe('deep')
  })

  it('fetches a directory, which is its index.html', async () => {
    const response = await client.verifiedFetch(`ipfs://${root}/`)
    expect(await response.text()).toBe('<p>Hello')
  })

  it('fetches a range', async () => {
    const fresh = await verifiedFetchFrom(worker.url)
    const response = await fresh.verifiedFetch(`ipfs://${root}/large.bin`, {
      headers: { Range: 'bytes=500000-500009' },
    })
    expect(response.status).toBe(206)
    expect(Buffer.from(await response.arrayBuffer()).equals(large.subarray(500_000, 500_010))).toBe(true)
    await fresh.helia.stop()
  })
})
