import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPeers, PEERS } from '../kit/install-peers.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'

const run = promisify(execFile)

describe('@helia/verified-fetch with this gateway as its only source', () => {
  const large = Buffer.from(Uint8Array.from({ length: 900_000 }, (_, index) => (index * 2654435761) >>> 24))
  let worker: RunningWorker
  let root: string
  let cids: Record<string, string>

  const read = async (url: string, range?: string) => {
    const script = join(PEERS, 'read-by-verified-fetch.js')
    const { stdout } = await run(process.execPath, [script, worker.url, JSON.stringify([{ url, range }])], {
      maxBuffer: 16 << 20,
    })
    const [answer]: { status: number; body: string }[] = JSON.parse(stdout)
    return { status: answer?.status, bytes: Buffer.from(answer?.body ?? '', 'base64') }
  }

  beforeAll(async () => {
    await installPeers()
    worker = await startWorker()
    const stored = await storeFiles(worker, { 'index.html': '<p>Hello', 'docs/a.txt': 'deep', 'large.bin': large })
    root = stored.root
    cids = stored.cids
  }, 300_000)
  afterAll(() => worker?.close())

  it('fetches a file of several blocks', async () => {
    const { status, bytes } = await read(`ipfs://${cids['large.bin']}`)
    expect(status).toBe(200)
    expect(bytes.equals(large)).toBe(true)
  })

  it('fetches a file below a directory', async () => {
    expect((await read(`ipfs://${root}/docs/a.txt`)).bytes.toString()).toBe('deep')
  })

  it('fetches a directory, which is its index.html', async () => {
    expect((await read(`ipfs://${root}/`)).bytes.toString()).toBe('<p>Hello')
  })

  it('fetches a range', async () => {
    const { status, bytes } = await read(`ipfs://${root}/large.bin`, 'bytes=500000-500009')
    expect(status).toBe(206)
    expect(bytes.equals(large.subarray(500_000, 500_010))).toBe(true)
  })
})
