import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { isSigned, type Signer } from '../kit/is-signed.ts'
import { closeServer, listen } from '../kit/loopback-server.ts'

/** S3's least part but the last, in bytes. */
const LEAST_PART = 5 << 20

export interface S3Server extends Signer {
  url: string
  bucket: string
  /** By their keys. */
  objects: Map<string, Buffer>
  /** Uploads that have not ended: their parts by number. */
  uploads: Map<string, Map<number, Buffer>>
  /** Methods and keys that were asked for. */
  asked: string[]
  /** What is answered in place of the next requests, a status each; 0 cuts the connection. */
  failures: number[]
  close(): Promise<void>
}

/**
 * A bucket with as much of the API of S3 as copies use, as strict as its documents
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html): signatures and hashes of bodies are checked.
 */
export async function startS3Server(): Promise<S3Server> {
  const signer = { accessKeyId: 'a-key', secretAccessKey: 'a-secret', region: 'eu-home-1' }
  const state = { bucket: 'copies', objects: new Map(), uploads: new Map(), asked: [], failures: [] }
  const server = createServer(async (incoming, outgoing) => {
    const failure = s3.failures.shift()
    if (failure === 0) return incoming.destroy()
    const answer = failure ? refuse(failure, 'SlowDown') : await answerRequest(s3, await read(incoming))
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    return outgoing.end(Buffer.from(await answer.arrayBuffer()))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const s3: S3Server = { ...signer, ...state, url, close: async () => await closeServer(server) }
  return s3
}

async function read(incoming: IncomingMessage): Promise<{ request: Request; body: Buffer }> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
  })
  return { request, body: Buffer.concat(parts) }
}

function refuse(status: number, code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>It is ${code}.</Message></Error>`, {
    status,
  })
}

async function answerRequest(s3: S3Server, { request, body }: { request: Request; body: Buffer }): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (!(await isSigned(request, s3))) return refuse(403, 'SignatureDoesNotMatch')
  if (request.headers.get('x-amz-content-sha256') !== hashOf('sha256', body)) {
    return refuse(400, 'XAmzContentSHA256Mismatch')
  }
  const [, bucket, ...rest] = pathname.split('/')
  if (bucket !== s3.bucket) return refuse(404, 'NoSuchBucket')
  const key = rest.map(decodeURIComponent).join('/')
  s3.asked.push(`${request.method} ${key}`)
  if (request.method === 'POST' && searchParams.has('uploads')) {
    const id = `upload "${s3.uploads.size}" & more`
    s3.uploads.set(id, new Map())
    const text = id.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return new Response(`<InitiateMultipartUploadResult><UploadId>${text}</UploadId></InitiateMultipartUploadResult>`)
  }
  const upload = searchParams.get('uploadId')
  if (upload !== null) return answerUpload(s3, request.method, { key, upload, body, query: searchParams })
  if (request.method === 'PUT') {
    s3.objects.set(key, body)
    return new Response(null, { headers: { ETag: `"${hashOf('md5', body)}"` } })
  }
  const found = s3.objects.get(key)
  if (!found) return refuse(404, 'NoSuchKey')
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
  if (from === undefined) return new Response(new Uint8Array(found))
  if (Number(from) >= found.length) return refuse(416, 'InvalidRange')
  return new Response(new Uint8Array(found.subarray(Number(from), Number(to) + 1)), { status: 206 })
}

function answerUpload(
  s3: S3Server,
  method: string,
  { key, upload, body, query }: { key: string; upload: string; body: Buffer; query: URLSearchParams },
): Response {
  const parts = s3.uploads.get(upload)
  if (!parts) return refuse(404, 'NoSuchUpload')
  if (method === 'DELETE') {
    s3.uploads.delete(upload)
    return new Response(null, { status: 204 })
  }
  if (method === 'PUT') {
    parts.set(Number(query.get('partNumber')), body)
    return new Response(null, { headers: { ETag: `"${hashOf('md5', body)}"` } })
  }
  const named = [...body.toString().matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"<\/ETag><\/Part>/g)]
  const chosen = named.map(([, number, etag]) => ({ bytes: parts.get(Number(number)), etag }))
  if (chosen.some(({ bytes, etag }) => !bytes || hashOf('md5', bytes) !== etag)) return refuse(400, 'InvalidPart')
  const all = chosen.flatMap(({ bytes }) => bytes ?? [])
  if (all.slice(0, -1).some(({ length }) => length < LEAST_PART)) return refuse(400, 'EntityTooSmall')
  s3.objects.set(key, Buffer.concat(all))
  s3.uploads.delete(upload)
  return new Response('<CompleteMultipartUploadResult><Key>a</Key></CompleteMultipartUploadResult>')
}

function hashOf(algorithm: 'md5' | 'sha256', bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex')
}
