import { Buffer } from 'node:buffer'
import { D1_LIMITS } from '../../../worker/platform/d1/d1-limits.ts'

/** A statement with its bound values. */
export interface BoundStatement {
  sql: string
  values: readonly unknown[]
}

/** The most bytes of a number or a boolean. */
const SCALAR_BYTES = 8

/** Bytes that D1 counts for a value; for a text, those of its UTF-8. */
export function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.length
  return value === null || value === undefined ? 0 : SCALAR_BYTES
}

/** No less than {@link valueBytes}, without reading the text: UTF-8 has at most three bytes for each unit of UTF-16. */
function mostBytes(value: unknown): number {
  return typeof value === 'string' ? 3 * value.length : valueBytes(value)
}

/** Why D1 rejects a statement before it runs, as a sentence; `undefined` where it does not. */
export function checkStatement({ sql, values }: BoundStatement): string | undefined {
  let most = 3 * sql.length
  for (const value of values) most += mostBytes(value)
  const isSmall = most <= D1_LIMITS.statementBytes && values.length <= D1_LIMITS.parameters
  return isSmall ? checkPatterns({ sql, values }) : checkSizes({ sql, values })
}

function checkSizes({ sql, values }: BoundStatement): string | undefined {
  if (values.length > D1_LIMITS.parameters) {
    return `too many SQL variables: ${values.length} of ${D1_LIMITS.parameters}`
  }
  const length = Buffer.byteLength(sql)
  if (length > D1_LIMITS.statementBytes) return `statement too long: ${length} of ${D1_LIMITS.statementBytes} bytes`
  for (const [index, value] of values.entries()) {
    const bytes = valueBytes(value)
    if (bytes > D1_LIMITS.valueBytes) {
      return `string or blob too big: parameter ${index + 1} has ${bytes} of ${D1_LIMITS.valueBytes} bytes`
    }
  }
  const row = values.reduce<number>((sum, value) => sum + valueBytes(value), 0)
  if (/^\s*(?:INSERT|REPLACE)\b/i.test(sql) && row > D1_LIMITS.rowBytes) {
    return `string or blob too big: the row has ${row} of ${D1_LIMITS.rowBytes} bytes`
  }
  return checkPatterns({ sql, values })
}

function checkPatterns({ sql, values }: BoundStatement): string | undefined {
  if (!values.some((value) => mostBytes(value) > D1_LIMITS.patternBytes)) return undefined
  for (const [, position] of sql.matchAll(/\b(?:LIKE|GLOB)\s+\?(\d+)/gi)) {
    const bytes = valueBytes(values[Number(position) - 1])
    if (bytes > D1_LIMITS.patternBytes) {
      return `LIKE or GLOB pattern too complex: ${bytes} of ${D1_LIMITS.patternBytes} bytes`
    }
  }
  return undefined
}

/** Why D1 rejects the result of a statement; `undefined` where it does not. */
export function checkResult(rows: readonly object[]): string | undefined {
  let most = 0
  for (const row of rows) for (const value of Object.values(row)) most += mostBytes(value)
  if (most <= D1_LIMITS.rowBytes) return undefined
  let total = 0
  for (const row of rows) {
    let bytes = 0
    for (const value of Object.values(row)) bytes += valueBytes(value)
    if (bytes > D1_LIMITS.rowBytes) return `row too big: ${bytes} of ${D1_LIMITS.rowBytes} bytes`
    total += bytes
  }
  return total > D1_LIMITS.resultBytes ? `result too big: ${total} of ${D1_LIMITS.resultBytes} bytes` : undefined
}

/** Why an invocation that has run `before` statements may not run `more`; `undefined` where it may. */
export function checkInvocation(before: number, more: number): string | undefined {
  const total = before + more
  if (total <= D1_LIMITS.statementsPerInvocation) return undefined
  return `too many D1 queries of one invocation: ${total} of ${D1_LIMITS.statementsPerInvocation}`
}
