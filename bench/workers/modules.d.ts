/** What start-bare.ts provides to a bare Worker: the response to repeat, or the address to call. */
declare module '*/init.json' {
  const init: {
    status: number
    headers: Record<string, string>
    encodeBody: 'automatic' | 'manual'
    /** In base 64. */
    body: string
    url: string
    authorization: string
    concurrency: number
  }
  export default init
}
