import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BackupError, type BackupPlace, LIST } from './backup-place.ts'
import { type S3Access, S3Client, textOf } from './s3-client.ts'

/** A part of an upload, and of a read, in bytes; S3 takes 5 MiB or more. */
const PART_BYTES = 16 << 20
/** S3's limit for parts of one object. */
const MOST_PARTS = 10_000

/** A bucket, and what keys in it begin with; without slashes at its ends. */
export interface S3Address {
  bucket: string
  prefix: string
}

/** `s3:<bucket>/<prefix>` or `s3://<bucket>/<prefix>`; `undefined` for what is no such address. Pure. */
export function parseS3Address(text: string): S3Address | undefined {
  const [, bucket, path = ''] = /^s3:(?:\/\/)?([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? []
  const prefix = path.replace(/^\/+|\/+$/g, '')
  return bucket === undefined ? undefined : { bucket, prefix }
}

/** The bytes of each part of a file but the last, so that it has not more parts than S3 takes. Pure. */
export function partBytes(size: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS / (1 << 20)) * (1 << 20))
}

/**
 * A backup in a bucket with the API of S3. Each file is copied to this machine first, into a folder below `dataDir`
 * that has room for the largest one.
 */
export function s3Place({ bucket, prefix }: S3Address, access: S3Access, dataDir: string): BackupPlace {
  const client = new S3Client(access, bucket)
  const drafts = join(dataDir, `${DRAFTS}${process.pid}`)
  const keyOf = (path: string) => (prefix === '' ? path : `${prefix}/${path}`)
  const readList = async () => {
    const { status, bytes } = await client.send('GET', keyOf(LIST), { also: [404] })
    if (status === 404 && textOf(bytes, 'Code') === 'NoSuchBucket')
      throw new BackupError(`There is no bucket ${bucket}.`)
    return status === 404 ? undefined : bytes.toString()
  }
  return {
    name: `s3:${bucket}/${prefix}`,
    readList,
    begin: async () => {
      if ((await readList()) !== undefined) throw new BackupError(`s3:${bucket}/${prefix} exists.`)
      removeDrafts(dataDir)
      mkdirSync(drafts, { recursive: true, mode: 0o700 })
    },
    draft: (path) => {
      mkdirSync(dirname(join(drafts, path)), { recursive: true, mode: 0o700 })
      return join(drafts, path)
    },
    keep: async (path) => {
      await putFile(client, keyOf(path), join(drafts, path))
      rmSync(join(drafts, path))
    },
    writeList: async (text) => {
      await client.send('PUT', keyOf(LIST), { body: text })
    },
    end: async () => rmSync(drafts, { recursive: true, force: true }),
    fetch: async (path, size, to) => await getFile(client, { key: keyOf(path), size, path }, to),
  }
}

const DRAFTS = 'backup-'

/** Removes what backups left that were killed. */
function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const [, pid] = /^backup-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dataDir, name), { recursive: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Puts a file, in parts where it is large. What was uploaded of it is removed where that fails. */
async function putFile(client: S3Client, key: string, file: string): Promise<void> {
  const { size } = statSync(file)
  const descriptor = openSync(file, 'r')
  try {
    if (size <= PART_BYTES) {
      await client.send('PUT', key, { body: readAt(descriptor, 0, size) })
      return
    }
    await putInParts(client, key, { descriptor, size })
  } finally {
    closeSync(descriptor)
  }
}

async function putInParts(
  client: S3Client,
  key: string,
  { descriptor, size }: { descriptor: number; size: number },
): Promise<void> {
  const uploadId = textOf((await client.send('POST', key, { query: 'uploads=' })).bytes, 'UploadId')
  if (uploadId === undefined) throw new BackupError(`S3 gave no upload for ${key}.`)
  const query = `uploadId=${encodeURIComponent(uploadId)}`
  try {
    const each = partBytes(size)
    const parts: string[] = []
    for (let at = 0; at < size; at += each) {
      const number = parts.length + 1
      const body = readAt(descriptor, at, Math.min(each, size - at))
      const { headers } = await client.send('PUT', key, { query: `partNumber=${number}&${query}`, body })
      parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${headers.get('ETag') ?? ''}</ETag></Part>`)
    }
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const { bytes } = await client.send('POST', key, { query, body })
    // A success may have an error for a body (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
    const problem = textOf(bytes, 'Code')
    if (problem !== undefined) throw new BackupError(`S3 did not complete the upload of ${key} (${problem}).`)
  } catch (error) {
    await client.send('DELETE', key, { query, also: [404] }).catch(() => undefined)
    throw error
  }
}

async function getFile(
  client: S3Client,
  { key, size, path }: { key: string; size: number; path: string },
  to: string,
): Promise<void> {
  const descriptor = openSync(to, 'wx', 0o600)
  try {
    for (let at = 0; at < size; at += PART_BYTES) {
      const range = `bytes=${at}-${Math.min(at + PART_BYTES, size) - 1}`
      const { status, bytes } = await client.send('GET', key, { range, also: [404, 416] })
      if (status === 404) throw new BackupError(`${path} of the backup is missing.`)
      if (status !== 206 || bytes.length !== Math.min(PART_BYTES, size - at)) {
        throw new BackupError(`${path} of the backup was changed.`)
      }
      writeSync(descriptor, bytes, 0, bytes.length, at)
    }
  } finally {
    closeSync(descriptor)
  }
}

function readAt(descriptor: number, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let read = 0; read < length; ) {
    const more = readSync(descriptor, bytes, read, length - read, at + read)
    if (more === 0) throw new BackupError('A copy ended before its end.')
    read += more
  }
  return bytes
}
