interface Env {
  PUBLIC: Fetcher
  PRIVATE: Fetcher
  /** Origins of services of the operator, between blanks. */
  OWN_SERVICES: string
}

let own: Set<string> | undefined

/**
 * The way out of the main Worker. What the operator named, such as a node, may be on this machine or in its network;
 * every other address leads to the public internet alone.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    own ??= new Set(env.OWN_SERVICES.split(' '))
    const network = own.has(new URL(request.url).origin) ? env.PRIVATE : env.PUBLIC
    return await network.fetch(request)
  },
}
