import { contentRange } from './parse-range.ts'

/** What describes the content that would have been sent, and not the refusal. */
const OF_CONTENT = ['Content-Disposition', 'Content-Encoding', 'Content-Length', 'ETag']

/** 416 for a range outside of a body of `size` bytes; `headers` are those that the body would have had. */
export function rangeNotSatisfiable(request: Request, headers: Headers, size: number): Response {
  const message = `The range lies outside of the content, which has ${size} bytes.`
  const refused = new Headers(headers)
  for (const name of OF_CONTENT) refused.delete(name)
  refused.set('Content-Range', contentRange(undefined, size))
  refused.set('Content-Type', 'application/json')
  refused.set('Cache-Control', 'no-store')
  const body = request.method === 'HEAD' ? null : JSON.stringify({ message, code: 'range_not_satisfiable' })
  return new Response(body, { status: 416, headers: refused })
}
