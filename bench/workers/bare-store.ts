interface Env {
  BUCKET: R2Bucket
}

// One tier alone: reads from R2 or the edge cache and sends that. PUT fills both.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, tier = '', name = ''] = pathname.split('/')
    const url = `https://bare.invalid/${name}`
    if (request.method === 'PUT') {
      const bytes = await request.arrayBuffer()
      await env.BUCKET.put(name, bytes)
      await caches.default.put(url, new Response(bytes, { headers: { 'Cache-Control': 'max-age=3600' } }))
      return new Response('kept')
    }
    const found = tier === 'r2' ? await env.BUCKET.get(name) : await caches.default.match(url)
    return new Response(await found?.arrayBuffer(), { status: found ? 200 : 404 })
  },
}
