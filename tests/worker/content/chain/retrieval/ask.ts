import { exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'

export const API = 'https://api.example'
export const HTML = '<!doctype html><title>Hello</title><p>Stored on a chain.</p>'

/** A page that no test has stored before, compressed. */
export const page = () => brotliCompressSync(Buffer.from(`${HTML}${crypto.randomUUID()}`))

export function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
  return exports.default.fetch(`${API}${path}`, {
    ...init,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export const get = (path: string, init?: RequestInit) => exports.default.fetch(`${API}${path}`, init)

/** The code of a refusal. */
export const code = async (response: Response) => (await response.json<{ code: string }>()).code
