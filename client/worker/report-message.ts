import type { Report } from './answer-request.ts'

/** In the query of a URL that hook.js gives an element: it tells of its errors itself. */
export const FILLED = 'hook'

/** What a page is sent of what could not be read. */
export function reportMessage(report: Report): unknown {
  return { hookline: report }
}

/** The report in a message of a worker; `undefined` for other messages. */
export function readReport(message: unknown): Report | undefined {
  if (!isObject(message) || !('hookline' in message) || !isObject(message.hookline)) return undefined
  const { url, code, message: sentence } = { url: '', code: '', message: '', ...message.hookline }
  if (typeof url !== 'string' || typeof code !== 'string' || typeof sentence !== 'string') return undefined
  return { url, code, message: sentence }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
