/** A request to the API with the caller's token; `path` begins behind `/v0`. */
export type SendRequest = (
  method: string,
  path: string,
  body?: Uint8Array<ArrayBuffer> | string,
) => Promise<{ status: number; text(): Promise<string> }>

/** Creates an item of these bytes and uploads all its chunks; returns its object id. */
export async function uploadItem(
  send: SendRequest,
  fields: Record<string, unknown>,
  content: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const expect = async (status: number, ...request: Parameters<SendRequest>): Promise<string> => {
    const response = await send(...request)
    const text = await response.text()
    if (response.status !== status) throw new Error(`${request[0]} ${request[1]}: ${response.status} ${text}`)
    return text
  }
  const body = JSON.stringify({ ...fields, size: content.length })
  const created: { id: string; chunkSize: number; chunks: number } = JSON.parse(
    await expect(201, 'POST', '/item', body),
  )
  const { id, chunkSize, chunks } = created
  for (let index = 0; index < chunks; index++) {
    const chunk = content.subarray(index * chunkSize, (index + 1) * chunkSize)
    await expect(204, 'PUT', `/item/${id}/chunk/${index}`, chunk)
  }
  return id
}
