import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Env } from '../platform/bindings.ts'

/**
 * What a second socket answers on a machine of one's own, which no proxy forwards to. On Cloudflare nothing is bound to
 * this entrypoint, so that nobody reaches it.
 */
export class Internal extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { internalApp } = await import('./internal-app.ts')
    return await internalApp.fetch(request, this.env, this.ctx)
  }
}
