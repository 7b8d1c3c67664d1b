import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseS3Address, partBytes, s3Place } from '../../server/command/backup/s3-place.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

const PATH = 'bucket/a file.sqlite'
/** Two parts and some. */
const BYTES = randomBytes((33 << 20) + 7)

let s3: S3Server
let dataDir: string

beforeEach(async () => {
  s3 = await startS3Server()
  dataDir = await tempFolder()
})
afterEach(async () => await s3.close())

const open = (more: { secret?: string; bucket?: string } = {}) => {
  const access = { endpoint: `${s3.url}/`, region: s3.region, keyId: s3.accessKeyId, secret: s3.secretAccessKey }
  return s3Place({ bucket: more.bucket ?? s3.bucket, prefix: 'home/one' }, { ...access, ...more }, dataDir)
}

async function put(bytes: Uint8Array, place = open()) {
  await place.begin()
  writeFileSync(place.draft(PATH), bytes)
  await place.keep(PATH)
}

it('puts a large file in parts and a small one at once, and gets what it put', async () => {
  await put(BYTES)
  expect(s3.objects.get(`home/one/${PATH}`)?.equals(BYTES)).toBe(true)
  expect(s3.asked.filter((asked) => asked.startsWith('PUT'))).toHaveLength(3)
  const to = join(dataDir, 'got')
  await open().fetch(PATH, BYTES.length, to)
  expect(readFileSync(to).equals(BYTES)).toBe(true)
  await put(BYTES.subarray(0, 100))
  expect(s3.objects.get(`home/one/${PATH}`)?.length).toBe(100)
})

it('tries again what may pass: a busy service, a failing one, and a connection that is lost', async () => {
  s3.failures = [503, 0, 500, 429]
  await put(BYTES.subarray(0, 100))
  expect(s3.objects.size).toBe(1)
})

it('leaves nothing of an upload that fails, there or here', async () => {
  const place = open()
  await place.begin()
  writeFileSync(place.draft(PATH), BYTES)
  const kept = place.keep(PATH)
  await expect.poll(() => s3.uploads.size, { interval: 1 }).toBe(1)
  s3.failures = [400]
  await expect(kept).rejects.toThrow(/^S3 answered 400 to PUT .* \(SlowDown: It is SlowDown\.\)\.$/)
  await place.end()
  expect([s3.uploads.size, s3.objects.size, readdirSync(dataDir)]).toEqual([0, 0, []])
})

it('says what is wrong: a key, a bucket, a backup that is there, a file that is missing or shorter', async () => {
  await expect(put(BYTES, open({ secret: 'another' }))).rejects.toThrow('SignatureDoesNotMatch')
  await expect(put(BYTES, open({ bucket: 'nobodys' }))).rejects.toThrow('There is no bucket nobodys.')
  await expect(open().fetch(PATH, 5, join(dataDir, 'a'))).rejects.toThrow(`${PATH} of the backup is missing.`)
  s3.objects.set(`home/one/${PATH}`, Buffer.from('four'))
  await expect(open().fetch(PATH, 5, join(dataDir, 'b'))).rejects.toThrow(`${PATH} of the backup was changed.`)
  await open().writeList('{}')
  await expect(open().begin()).rejects.toThrow('s3:copies/home/one exists.')
})

it('removes what a backup left that was killed, and not what one has that runs', async () => {
  const [killed, running] = ['backup-999999999', `backup-${process.ppid}`].map((name) => join(dataDir, name))
  for (const folder of [killed, running]) mkdirSync(folder ?? '')
  await open().begin()
  expect([existsSync(killed ?? ''), existsSync(running ?? '')]).toEqual([false, true])
})

it.each([
  ['s3:copies/home', { bucket: 'copies', prefix: 'home' }],
  ['s3://copies/home/', { bucket: 'copies', prefix: 'home' }],
  ['s3:copies', { bucket: 'copies', prefix: '' }],
  ['s3:', undefined],
  ['s3:UPPER/a', undefined],
])('reads %s', (text, address) => {
  expect(parseS3Address(text)).toEqual(address)
})

it.each([1, 16 << 20, 160_000 << 20, 5 * 2 ** 40])('makes at most 10,000 parts of %i bytes', (size) => {
  expect(Math.ceil(size / partBytes(size))).toBeLessThanOrEqual(10_000)
  expect(partBytes(size) % (1 << 20)).toBe(0)
})
