import { exports } from 'cloudflare:workers'

/** Asks the path gateway of the storage host, following no redirect. */
export function get(path: string, init?: RequestInit<RequestInitCfProperties>): Promise<Response> {
  return exports.default.fetch(`https://storage.example${path}`, { redirect: 'manual', ...init })
}

/** The stable code of an error's JSON body. */
export async function errorCode(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code
}

/** `Cache-Control` of what a CID names. */
export const IMMUTABLE = 'public, max-age=29030400, immutable'
