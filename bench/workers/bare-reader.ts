interface Bindings {
  BUCKET: R2Bucket
}

const PIECE = 64 * 1024
const CHUNK = 1024 * 1024

// The limits of an upload: reading a body, and (/keep) also storing each MiB of it as an object.
export default {
  async fetch(request: Request, { BUCKET }: Bindings): Promise<Response> {
    const keeps = new URL(request.url).pathname === '/keep'
    const reader = request.body?.getReader({ mode: 'byob' })
    let buffer = new ArrayBuffer(PIECE)
    const chunk = new Uint8Array(CHUNK)
    let length = 0
    let filled = 0
    while (reader) {
      const { done, value } = await reader.read(new Uint8Array(buffer, 0, Math.min(PIECE, CHUNK - filled)))
      if (done) break
      buffer = value.buffer
      length += value.length
      if (!keeps) continue
      chunk.set(value, filled)
      filled = (filled + value.length) % CHUNK
      if (filled === 0) await BUCKET.put(`chunk/${length / CHUNK}`, chunk)
    }
    return new Response(String(length))
  },
}
