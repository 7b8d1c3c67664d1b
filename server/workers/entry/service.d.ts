/** The main Worker, by the module that `server/write-capnp.ts` makes of its first one. */
declare module 'service.mjs' {
  const service: {
    fetch(request: Request, env: unknown, ctx: ExecutionContext): Response | Promise<Response>
  }
  export default service
}
