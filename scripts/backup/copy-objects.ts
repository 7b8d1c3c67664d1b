import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import PQueue from 'p-queue'
import type { ListedObject, ObjectStore } from '../cloudflare/r2-objects.ts'
import { CopyError, type Open, openPartFolder, type Sealing } from './part-folder.ts'

/** What is fetched again, and what the Worker removes by age. */
const NOT_COPIED = ['chain/', 'ipfs/cache/', 'ipfs/ipns/', 'proof/']
const AT_ONCE = 8
/** Objects in one part of the list. */
const LISTED = 5_000

/** What an object has beside its bytes. */
const KEPT_HEADERS =
  /^(?:content-type|content-encoding|content-disposition|content-language|cache-control|x-amz-meta-.+)$/

/** What stands before the bytes of a copied object, as JSON in a line of its own. */
interface ObjectHead {
  key: string
  headers: Record<string, string>
}

/**
 * Copies the objects of a bucket into `objects`, those that are not there yet, and writes down in `list` which ones this copy has:
 * pages of lines, each a key and the name of its file. Returns how many there are and how many were read.
 */
export async function copyObjects(
  bucket: ObjectStore,
  { objects, list, sealing }: { objects: string; list: string; sealing: Sealing },
): Promise<{ listed: number; read: number }> {
  const [kept, copy] = [await openPartFolder(objects), await openPartFolder(list)]
  const queue = new PQueue({ concurrency: AT_ONCE })
  const failed: unknown[] = []
  let [listed, read, page] = [0, 0, 0]
  let lines: string[] = []
  const flush = async () => {
    await queue.onIdle()
    if (failed.length > 0) throw failed[0]
    await copy.write(listName(++page, sealing.suffix), Readable.from([Buffer.from(lines.join(''))]), sealing)
    lines = []
  }
  const take = async (one: ListedObject) => {
    const name = fileOf(one, sealing.suffix)
    if (!kept.has(name)) {
      const response = await bucket.get(one.key)
      // It was deleted since, or another is there now, whose bytes are as good.
      if (!response?.body) return
      const headers = Object.fromEntries([...response.headers].filter(([header]) => KEPT_HEADERS.test(header)))
      const head: ObjectHead = { key: one.key, headers }
      await kept.write(name, Readable.from(withHead(head, Readable.fromWeb(response.body))), sealing)
      read++
    }
    lines.push(`${JSON.stringify([one.key, name, one.etag])}\n`)
    listed++
  }
  for await (const one of listCopied(bucket, '')) {
    await queue.onSizeLessThan(AT_ONCE)
    void queue.add(() => take(one)).catch((error: unknown) => failed.push(error))
    if (lines.length >= LISTED) await flush()
  }
  await flush()
  return { listed, read }
}

/** The objects that are copied: without listing what is not. */
async function* listCopied(bucket: ObjectStore, prefix: string): AsyncGenerator<ListedObject> {
  const isPartly = NOT_COPIED.some((other) => other.startsWith(prefix))
  for await (const one of bucket.list(prefix, ...(isPartly ? (['/'] as const) : []))) {
    if ('key' in one) yield one
    else if (!NOT_COPIED.includes(one.prefix)) yield* listCopied(bucket, one.prefix)
  }
}

async function* withHead(head: ObjectHead, body: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(head)}\n`)
  yield* body
}

/** An object that is changed has another name: what is in a folder is never replaced. */
function fileOf({ key, etag }: ListedObject, suffix: Sealing['suffix']): string {
  const hash = createHash('sha256').update(`${key}\n${etag}`).digest('hex')
  return `${hash.slice(0, 2)}/${hash}${suffix}`
}

function listName(page: number, suffix: Sealing['suffix']): string {
  return `objects.${String(page).padStart(6, '0')}.jsonl${suffix}`
}

/** Puts the objects of a copy into a bucket, those that it does not have. Returns how many were put. @throws {CopyError} {ApiError} */
export async function restoreObjects(
  bucket: ObjectStore,
  { objects, list, open, work }: { objects: string; list: string; open: Open | undefined; work: string },
): Promise<number> {
  const [kept, copy] = [await openPartFolder(objects), await openPartFolder(list)]
  await mkdir(work, { recursive: true, mode: 0o700 })
  const there = new Map<string, string>()
  for await (const one of listCopied(bucket, '')) there.set(one.key, one.etag)
  const queue = new PQueue({ concurrency: AT_ONCE })
  const failed: unknown[] = []
  let put = 0
  for (let page = 1; ; page++) {
    const name = (['', '.age'] as const).map((suffix) => listName(page, suffix)).find((one) => copy.has(one))
    if (name === undefined) break
    for (const line of (await text(await copy.read(name, open))).split('\n').filter((one) => one !== '')) {
      const [key, file, etag]: string[] = JSON.parse(line)
      if (key === undefined || file === undefined) throw new CopyError(`${name} is no list of objects.`)
      if (there.get(key) === etag) continue
      await queue.onSizeLessThan(AT_ONCE)
      void queue
        .add(() => putObject(bucket, join(work, randomUUID()), () => kept.read(file, open)))
        .catch((error: unknown) => failed.push(error))
      put++
    }
    await queue.onIdle()
    if (failed.length > 0) throw failed[0]
  }
  return put
}

/** By way of a file, whose length is known: an object may be larger than memory. */
async function putObject(bucket: ObjectStore, path: string, read: () => Promise<Readable>): Promise<void> {
  let head = Buffer.alloc(0)
  let isOpen = true
  try {
    await pipeline(
      await read(),
      async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          if (!isOpen) {
            yield part
            continue
          }
          head = Buffer.concat([head, part])
          const end = head.indexOf('\n')
          if (end < 0) continue
          isOpen = false
          yield head.subarray(end + 1)
          head = head.subarray(0, end)
        }
      },
      createWriteStream(path, { mode: 0o600 }),
    )
    const { key, headers }: ObjectHead = JSON.parse(head.toString())
    await bucket.put(key, await openAsBlob(path), headers)
  } finally {
    await rm(path, { force: true })
  }
}
