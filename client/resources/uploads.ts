import { HooklineError } from '../http/api-error.ts'
import { readString } from '../http/parse-json.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { CallOptions } from './call-options.ts'
import type { NewItem } from './item-uploads.ts'

const TUS = { 'Tus-Resumable': '1.0.0' }
const PART = { ...TUS, 'Content-Type': 'application/offset+octet-stream' }

/** Uploads that go on at the byte where they were cut (tus 1.0, https://tus.io/protocols/resumable-upload). */
export function uploadsOf(transport: Transport) {
  return {
    /** Begins one, with its `first` bytes where there are some. */
    async begin(
      { name, mimetype, blockchain, size, folder, order }: NewItem,
      first?: Uint8Array<ArrayBuffer>,
      { signal }: CallOptions = {},
    ): Promise<{ id: string; offset: number }> {
      const metadata = { filename: name, filetype: mimetype, blockchain, folder, order }
      const pairs = Object.entries(metadata).flatMap(([key, value = '']) =>
        value === '' ? [] : `${key} ${base64(value)}`,
      )
      const { headers } = await transport.send({
        method: 'POST',
        path: '/v0/upload',
        headers: { ...(first ? PART : TUS), 'Upload-Length': String(size), 'Upload-Metadata': pairs.join() },
        ...(first && { bytes: first }),
        signal,
      })
      const id = headers.get('Location')?.split('/').at(-1)
      if (!id) throw new HooklineError('unexpected_answer', 'The service began an upload without naming it.')
      return { id, offset: first ? offsetOf(headers) : 0 }
    },

    /** Bytes that the service holds from the beginning on. */
    async offset(id: string, { signal }: CallOptions = {}): Promise<number> {
      const request = { method: 'HEAD', path: pathTo`/v0/upload/${id}`, headers: TUS, signal } as const
      return offsetOf((await transport.send(request)).headers)
    },

    /** Adds bytes behind those that are held; resolves to how many are now. */
    async append(id: string, offset: number, bytes: Uint8Array<ArrayBuffer>, { signal }: CallOptions = {}) {
      const headers = { ...PART, 'Upload-Offset': String(offset) }
      const request = { method: 'PATCH', path: pathTo`/v0/upload/${id}`, headers, bytes, signal } as const
      return offsetOf((await transport.send(request)).headers)
    },

    /** SHA-256 in hex of each whole chunk that is held from the beginning on, all of `chunkSize` bytes. */
    async hashes(id: string, { signal }: CallOptions = {}): Promise<{ chunkSize: number; hashes: string[] }> {
      const answer = await transport.fields({ method: 'GET', path: pathTo`/v0/upload/${id}`, signal })
      return { chunkSize: answer.number('chunkSize'), hashes: answer.list('hashes', readString) }
    },
  }
}

function offsetOf(headers: Headers): number {
  const offset = headers.get('Upload-Offset')
  if (offset !== null && /^\d+$/.test(offset)) return Number(offset)
  throw new HooklineError('unexpected_answer', 'The service does not say how much of the upload it holds.')
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
