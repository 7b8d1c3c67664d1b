/** The Cache API of the main Worker, which keeps nothing: the bucket is on the same disk. */
export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method === 'PUT') {
      await request.body?.pipeTo(new WritableStream())
      return new Response(null, { status: 204 })
    }
    if (request.method === 'PURGE') return new Response(null, { status: 404 })
    return new Response(null, { status: 504, headers: { 'CF-Cache-Status': 'MISS' } })
  },
}
