import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ALERTS_PAGE, CODES_PAGE, withLogCodes, withSigns } from '../../scripts/log-codes-document.ts'
import { LOG_CODES } from '../../worker/platform/records/log-codes.ts'

const WORKER = fileURLToPath(new URL('../../worker', import.meta.url))

/** The codes of the errors and warnings that the Worker writes. */
function writtenCodes(): string[] {
  const files = readdirSync(WORKER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) => {
    const code = readFileSync(join(WORKER, file), 'utf8')
    const direct = code.matchAll(/console\.(?:error|warn)\(\s*(['"`])([^'"`]+)\1/g)
    const bounded = code.matchAll(/logOnceAMinute\(\s*'\w+',\s*(['"`])([^'"`]+)\1/g)
    return [...direct, ...bounded].map(([, , name = '']) => name)
  })
}

describe('the codes of the log', () => {
  it('are those that the Worker writes, each with its meaning', () => {
    expect([...new Set(writtenCodes())].sort()).toEqual(Object.keys(LOG_CODES).sort())
  })

  it('stand in docs/operate/watch.md as the code has them; npm run docs:logs writes them', () => {
    const page = readFileSync(CODES_PAGE, 'utf8')
    expect(withLogCodes(page)).toBe(page)
    expect(() => withLogCodes('no place')).toThrow('has no place')
  })
})

it('the signs stand in docs/operate/alerts.md as the code has them; npm run docs:logs writes them', () => {
  const page = readFileSync(ALERTS_PAGE, 'utf8')
  expect(withSigns(page)).toBe(page)
  expect(() => withSigns('no place')).toThrow('has no place')
})
