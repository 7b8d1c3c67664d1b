import { HooklineError } from '../http/api-error.ts'
import { readString } from '../http/parse-json.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { CallOptions } from './call-options.ts'
import type { NewItem } from './item-uploads.ts'

const TUS = { 'Tus-Resumable': '1.0.0' }
const PART = { ...TUS, 'Content-Type': 'application/offset+octet-stream' }

/**
 * Uploads that can resume at the byte where they were interrupted (tus 1.0, https://tus.io/protocols/resumable-upload).
 */
export function uploadsOf(transport: Transport) {
  return {
    /** Begins an upload, optionally with its `first` bytes. */
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
      if (!id) throw new HooklineError('unexpected_answer', 'The service began an upload but sent no id for it.')
      return { id, offset: first ? offsetOf(headers) : 0 }
    },

    /** The number of bytes that the service has from the beginning. */
    async offset(id: string, { signal }: CallOptions = {}): Promise<number> {
      const request = { method: 'HEAD', path: pathTo`/v0/upload/${id}`, headers: TUS, signal } as const
      return offsetOf((await transport.send(request)).headers)
    },

    /** Appends bytes. Resolves to the new number of bytes. */
    async append(id: string, offset: number, bytes: Uint8Array<ArrayBuffer>, { signal }: CallOptions = {}) {
      const headers = { ...PART, 'Upload-Offset': String(offset) }
      const request = { method: 'PATCH', path: pathTo`/v0/upload/${id}`, headers, bytes, signal } as const
      return offsetOf((await transport.send(request)).headers)
    },

    /** SHA-256 in hex of each complete chunk from the beginning, each of `chunkSize` bytes. */
    async hashes(id: string, { signal }: CallOptions = {}): Promise<{ chunkSize: number; hashes: string[] }> {
      const answer = await transport.fields({ method: 'GET', path: pathTo`/v0/upload/${id}`, signal })
      return { chunkSize: answer.number('chunkSize'), hashes: answer.list('hashes', readString) }
    },
  }
}

function offsetOf(headers: Headers): number {
  const offset = headers.get('Upload-Offset')
  if (offset !== null && /^\d+$/.test(offset)) return Number(offset)
  throw new HooklineError('unexpected_answer', "The service's answer lacks the offset of the upload.")
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
