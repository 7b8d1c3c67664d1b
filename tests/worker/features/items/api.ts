import { exports } from 'cloudflare:workers'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { type SendRequest, uploadItem as upload } from '../../../kit/upload-item.ts'

const USUAL_FIELDS = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin' }

/** Calls the API as the user whose headers these are. */
export function callApi(headers: Record<string, string>) {
  const send = (method: string, path: string, body?: BodyInit, extra: Record<string, string> = {}) =>
    exports.default.fetch(`https://api.example/v0${path}`, {
      method,
      headers: { ...headers, ...extra },
      ...(body === undefined ? {} : { body }),
    })
  return {
    send,
    sendJson: (method: string, path: string, body: unknown, extra: Record<string, string> = {}) =>
      send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json', ...extra }),
  }
}

export type Api = ReturnType<typeof callApi>

/** An item in `201 Created`, as its creation was answered. */
export async function createItem(
  api: Api,
  fields: Partial<{ name: string; mimetype: string; blockchain: StorageTarget; size: number; folder: string }> = {},
): Promise<{ id: string; chunkSize: number; chunks: number }> {
  const body = { ...USUAL_FIELDS, size: 5, ...fields }
  const response = await api.sendJson('POST', '/item', body)
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  return await response.json()
}

/** Creates an item of these bytes and uploads all its chunks. */
export async function uploadItem(
  api: Api,
  content: Uint8Array<ArrayBuffer>,
  fields: Parameters<typeof createItem>[1] = {},
): Promise<string> {
  const json = { 'Content-Type': 'application/json' }
  const send: SendRequest = (method, path, body) => api.send(method, path, body, typeof body === 'string' ? json : {})
  return await upload(send, { ...USUAL_FIELDS, ...fields }, content)
}

/** Bytes that no encoder makes shorter, the same on every run. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    state ^= state >>> 15
    bytes[i] = state >>> 24
  }
  return bytes
}

/** Text that compresses well, and of which every part is different. */
export function prose(length: number): Uint8Array<ArrayBuffer> {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `Line ${i} of a story that goes on for a while.\n`
  return Uint8Array.from(new TextEncoder().encode(text.slice(0, length)))
}
