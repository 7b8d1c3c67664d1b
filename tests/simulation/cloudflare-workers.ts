/** What `cloudflare:workers` gives the Durable Objects, for running them in this process. */
export class DurableObject<Env> {
  readonly ctx: unknown
  readonly env: Env

  constructor(ctx: unknown, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}
