import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CarWriter } from '@ipld/car'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WorkerdProcess } from '../../../bench/workerd-process.ts'
import { concatBytes } from '../../../protocol/bytes.ts'
import { signUp } from '../../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../../kit/start-worker.ts'
import { writeLargeFile } from './large-file.ts'

const MIB = 2 ** 20
/** Both are larger than what one request may carry; a CAR is a little larger than the file in it. */
const SIZES = [100 * MIB + 12_345, 500 * MIB + 54_321] as const
const LEAF = 512 * 1024
const EMAIL = 'ada@example.com'
/** What the larger CAR may take more of workerd's memory than the smaller: far less than it is longer. */
const GROWTH = 256 * MIB

let folder: string
let worker: RunningWorker
let token: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-car-'))
  worker = await startWorker({ stateDir: join(folder, 'state') })
  token = await signUp(worker, EMAIL)
  // Who may import CARs is made by an operator.
  const db = await worker.miniflare.getD1Database('DB')
  await db.prepare("UPDATE users SET role = 'admin' WHERE email = ?").bind(EMAIL).run()
})
afterAll(async () => {
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A CAR of one file, as other people's importer cuts it into blocks. */
async function carOf(content: Uint8Array): Promise<{ car: Buffer; root: CID }> {
  const blocks: { cid: CID; bytes: Uint8Array }[] = []
  const put = async (cid: CID, bytes: Uint8Array) => {
    blocks.push({ cid, bytes })
    return cid
  }
  let root: CID | undefined
  const options = { cidVersion: 1 as const, rawLeaves: true, chunker: fixedSize({ chunkSize: LEAF }) }
  for await (const { cid } of importer([{ content }], { put }, options)) root = cid
  if (!root) throw new Error('the importer made no file')
  const { writer, out } = CarWriter.create([root])
  const parts: Uint8Array[] = []
  const reading = (async () => {
    for await (const part of out) parts.push(part)
  })()
  for (const block of blocks) await writer.put(block)
  await writer.close()
  await reading
  return { car: Buffer.from(concatBytes(parts)), root }
}

/** Uploads by tus-js-client as a CAR. Returns the id. */
function uploadCar(car: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(car, {
      endpoint: `${worker.url}/v0/upload`,
      metadata: { kind: 'car', filename: 'film.car', filetype: 'video/mp4' },
      headers: { Authorization: `Bearer ${token}` },
      chunkSize: 8 * MIB,
      onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''),
      onError: reject,
    })
    upload.start()
  })
}

async function merge(id: string): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${token}` }
  for (;;) {
    const answer = await fetch(`${worker.url}/v0/item/${id}/merge`, { method: 'POST', headers })
    const body: Record<string, unknown> = JSON.parse(await answer.text())
    if (answer.status !== 202) return { ...body, answer: answer.status }
  }
}

async function digestOf(response: Response): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of response.body ?? []) hash.update(bytes)
  return hash.digest('hex')
}

/** Uploads, merges and reads back a CAR of so many bytes. Returns the peak of workerd's memory meanwhile. */
async function store(size: number): Promise<number> {
  const path = join(folder, `${size}.bin`)
  const sha256 = await writeLargeFile(path, size, 3)
  const { car, root } = await carOf(await readFile(path))
  expect(car.length).toBeGreaterThan(100_000_000)
  const workerd = WorkerdProcess.find()
  workerd?.resetPeak()
  const began = performance.now()
  const id = await uploadCar(car)
  expect(await merge(id)).toMatchObject({ answer: 200, status: '200 OK', cid: root.toString() })
  expect(await digestOf(await fetch(`${worker.url}/v0/content/${id}`))).toBe(sha256)
  const peak = workerd?.peakBytes() ?? 0
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`large-car: ${Math.round(size / MIB)} MiB in ${seconds} s, workerd at most ${Math.round(peak / MIB)} MiB`)
  return peak
}

it('a CAR above 100 MB is uploaded by tus, imported at its merge and read back, with memory that does not depend on its size', async () => {
  const smaller = await store(SIZES[0])
  const larger = await store(SIZES[1])
  expect(larger - smaller).toBeLessThan(GROWTH)
})
