/** What start-bare.ts gives a bare Worker: the answer that it repeats, or where it asks. */
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
