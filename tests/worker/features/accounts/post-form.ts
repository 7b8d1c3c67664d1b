import { fetchApi } from '../../fetch-api.ts'

/** Sends a form as a browser does. */
export async function postForm(path: string, fields: Record<string, string>): Promise<Response> {
  return await fetchApi('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
}

/** The token in a mailed link. */
export function tokenOf(link: string): string {
  return new URLSearchParams(link.split('?')[1]).get('token') ?? ''
}
