import { SIGNS } from '../worker/features/operate/alerts/sign-table.ts'
import { LOG_CODES, type LogCode } from '../worker/platform/records/log-codes.ts'
import { table } from './markdown-table.ts'

/** The page that has the codes of the log, and the comments around their table. */
export const CODES_PAGE = new URL('../docs/operate/watch.md', import.meta.url)
const BEGIN = '<!-- Made by `npm run docs:logs`. -->\n'
const END = '<!-- Up to here: codes of the log. -->\n'

/** A page with the table of the log's codes between its two comments. */
export function withLogCodes(page: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error('The page has no place for the codes of the log.')
  return `${page.slice(0, start)}${BEGIN}\n${codes()}\n${page.slice(end)}`
}

function codes(): string {
  const all: [string, LogCode][] = Object.entries(LOG_CODES)
  const rows = all.map(([code, { meaning, act = 'nothing' }]) => [`\`${code}\``, meaning, act] as const)
  return table(['code', 'meaning', 'what to do'], rows)
}

/** The page of docs/operate/alerts.md, and the comments around the table of signs. */
export const ALERTS_PAGE = new URL('../docs/operate/alerts.md', import.meta.url)
const SIGNS_BEGIN = '<!-- Signs, made by `npm run docs:logs`. -->\n'
const SIGNS_END = '<!-- Up to here: signs. -->\n'

/** A page with the table of signs between its two comments. */
export function withSigns(page: string): string {
  const [start, end] = [page.indexOf(SIGNS_BEGIN), page.indexOf(SIGNS_END)]
  if (start < 0 || end < start) throw new Error('The page has no place for the signs.')
  const rows = Object.entries(SIGNS).map(([name, { when, act }]) => [`\`${name}\``, when, act] as const)
  return `${page.slice(0, start)}${SIGNS_BEGIN}\n${table(['sign', 'raised when', 'what to do'], rows)}\n${page.slice(end)}`
}
