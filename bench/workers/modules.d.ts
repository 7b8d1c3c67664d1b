/** What start-bare.ts gives every bare Worker: the answer that it repeats. */
declare module '*.bin' {
  const bytes: ArrayBuffer
  export default bytes
}
declare module '*/init.json' {
  const init: { status: number; headers: Record<string, string>; encodeBody: 'automatic' | 'manual' }
  export default init
}
