/** Bytes that an isolate may use: Cloudflare ends one at 128 MB, and other requests need some of that. */
const USABLE_BYTES = 100 << 20
/** Bytes of these that the Worker uses before it reads any content. */
const OWN_BYTES = 12 << 20

/**
 * Why contents of these sizes (bytes) do not fit the memory of an isolate; `undefined` where they do. This counts the
 * memory of one answer that is not streamed: stored content with its hex, which is twice as long, and a copy; or a
 * page, stored and decoded twice. A streamed answer needs less, which leaves the rest to other answers.
 */
export function memoryProblem(sizes: { maxContentBytes: number; maxDecodedBytes: number }): string | undefined {
  const { maxContentBytes, maxDecodedBytes } = sizes
  const asHex = OWN_BYTES + 4 * maxContentBytes
  const asPage = OWN_BYTES + maxContentBytes + 2 * maxDecodedBytes
  const needed = Math.max(asHex, asPage)
  if (needed <= USABLE_BYTES) return undefined
  const which = asHex > asPage ? 'MAX_CONTENT_BYTES needs' : 'MAX_CONTENT_BYTES and MAX_DECODED_BYTES together need'
  return `${which} ${inMib(needed)} MiB of memory, and an isolate has ${inMib(USABLE_BYTES)}: lower them`
}

function inMib(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20)
}
