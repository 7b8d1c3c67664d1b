import type { Api } from '../api.ts'

export const MIB = 2 ** 20
export const TUS = { 'Tus-Resumable': '1.0.0' }
const BYTES = { 'Content-Type': 'application/offset+octet-stream' }

/** `Upload-Metadata` of these pairs. */
export function metadata(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')
}

const USUAL = { filename: 'a.bin', filetype: 'application/octet-stream', blockchain: 'IPFS' }

/** What a client of tus says to the API. */
export function tusClient(api: Api) {
  const create = (
    size: number,
    pairs: Record<string, string> = {},
    extra: Record<string, string> = {},
    body?: Uint8Array<ArrayBuffer>,
  ) =>
    api.send('POST', '/upload', body, {
      ...TUS,
      'Upload-Length': String(size),
      'Upload-Metadata': metadata({ ...USUAL, ...pairs }),
      ...(body && BYTES),
      ...extra,
    })
  return {
    create,
    /** The id of a new upload. */
    async begin(size: number, pairs: Record<string, string> = {}): Promise<string> {
      const response = await create(size, pairs)
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
      return response.headers.get('Location')?.split('/').at(-1) ?? ''
    },
    patch: (id: string, offset: number, body: BodyInit, extra: Record<string, string> = {}) =>
      api.send('PATCH', `/upload/${id}`, body, { ...TUS, ...BYTES, 'Upload-Offset': String(offset), ...extra }),
    head: (id: string, extra: Record<string, string> = TUS) => api.send('HEAD', `/upload/${id}`, undefined, extra),
    async offset(id: string): Promise<number> {
      return Number(
        (await api.send('HEAD', `/upload/${id}`, undefined, TUS)).headers.get('Upload-Offset') ?? Number.NaN,
      )
    },
    terminate: (id: string) => api.send('DELETE', `/upload/${id}`, undefined, TUS),
  }
}

/** A body that is cut after these bytes, as a connection that breaks. */
export function cutBody(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream()
  void (async () => {
    const writer = writable.getWriter()
    await writer.write(bytes)
    await writer.abort(new Error('the connection was cut'))
  })().catch(() => {})
  return readable
}

/** A body that goes on when the test says so. */
export function slowBody() {
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  return { readable, write: (bytes: Uint8Array) => writer.write(bytes), close: () => writer.close() }
}
