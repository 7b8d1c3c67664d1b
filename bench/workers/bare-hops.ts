import { DurableObject } from 'cloudflare:workers'
import { fetchBatches } from './fetch-batches.ts'

interface Env {
  LIMIT: RateLimit
  BUCKET: R2Bucket
  FETCHER: DurableObjectNamespace<Fetcher>
}

// Calls the node from the same place as the product: after the rate limit, the edge cache and R2, in a Durable Object.
export class Fetcher extends DurableObject {
  async ask(batches: readonly unknown[]): Promise<number> {
    return await fetchBatches(batches)
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const batches: unknown[] = await request.json()
    const name = crypto.randomUUID()
    await env.LIMIT.limit({ key: 'bench' })
    const cached = await caches.default.match(`https://bare.invalid/${name}`)
    const stored = cached ?? (await env.BUCKET.get(name))
    if (stored) return new Response('kept', { status: 500 })
    return new Response(String(await env.FETCHER.get(env.FETCHER.idFromName('one')).ask(batches)))
  },
}
