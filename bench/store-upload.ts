import type { Product } from './start-product.ts'

/** Makes an item of these bytes, sends its chunks and merges it; returns its id. `onMerge` is told just before. */
export async function storeUpload(
  { port }: Product,
  accessToken: string,
  upload: { blockchain: string; mimetype: string; content: Uint8Array },
  onMerge: () => void = () => {},
): Promise<string> {
  const { blockchain, mimetype, content } = upload
  const send = async (expected: number[], method: string, path: string, body?: Uint8Array | string) => {
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}/v0/item${path}`, init)
    const text = await response.text()
    if (!expected.includes(response.status)) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return { status: response.status, text }
  }
  const fields = { name: 'upload', mimetype, blockchain, size: content.length }
  const created = await send([201], 'POST', '', JSON.stringify(fields))
  const { id, chunkSize, chunks }: { id: string; chunkSize: number; chunks: number } = JSON.parse(created.text)
  for (let index = 0; index < chunks; index++) {
    const chunk = content.subarray(index * chunkSize, (index + 1) * chunkSize)
    await send([204], 'PUT', `/${id}/chunk/${index}`, chunk)
  }
  onMerge()
  let merged = await send([200, 202], 'POST', `/${id}/merge`)
  while (merged.status === 202) merged = await send([200, 202], 'POST', `/${id}/merge`)
  return id
}
