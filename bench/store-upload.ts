import { type SendRequest, uploadItem } from '../tests/kit/upload-item.ts'
import type { Product } from './start-product.ts'

/**
 * Creates an item of these bytes, sends its chunks and merges it; returns its id. `onMerge` is called just before the
 * merge.
 */
export async function storeUpload(
  { port }: Product,
  accessToken: string,
  upload: { blockchain: string; mimetype: string; content: Uint8Array },
  onMerge: () => void = () => {},
): Promise<string> {
  const { content, ...fields } = upload
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' }
  const send: SendRequest = (method, path, body) =>
    fetch(`http://127.0.0.1:${port}/v0${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const id = await uploadItem(send, { name: 'upload', ...fields }, Uint8Array.from(content))
  onMerge()
  const merge = async (): Promise<number> => {
    const response = await send('POST', `/item/${id}/merge`)
    const text = await response.text()
    if (response.status !== 200 && response.status !== 202) throw new Error(`merge: ${response.status} ${text}`)
    return response.status
  }
  while ((await merge()) === 202);
  return id
}
