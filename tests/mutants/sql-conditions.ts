/** A condition in SQL: where it begins and ends in the text. */
export interface SqlCondition {
  start: number
  end: number
}

const BEFORE = /\b(?:WHERE|AND|ON)\s+/gi
/** What ends a condition at its own depth of parentheses. */
const AFTER = /^(?:AND|OR|ORDER|GROUP|LIMIT|ON|UNION|DO|SET|RETURNING|WHERE|THEN|WHEN|ELSE|END|JOIN|LEFT|CROSS)\b/i

/** Whether a text is SQL. */
export function isSql(text: string): boolean {
  return /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|EXISTS|WHERE)\b/.test(text)
}

/** Every condition behind WHERE, ON and AND, those in subqueries too. */
export function findSqlConditions(sql: string): SqlCondition[] {
  const conditions: SqlCondition[] = []
  for (const match of sql.matchAll(BEFORE)) {
    const start = match.index + match[0].length
    if (/^(?:CONFLICT|true\b)/i.test(sql.slice(start)) || isBetween(sql, match.index)) continue
    if (sql.slice(0, match.index).split("'").length % 2 === 0) continue
    const end = findEnd(sql, start)
    if (end > start) conditions.push({ start, end })
  }
  return conditions
}

/** BETWEEN has an AND of its own. */
function isBetween(sql: string, at: number): boolean {
  return /\bBETWEEN\s+\S+\s*$/i.test(sql.slice(0, at))
}

function findEnd(sql: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < sql.length; at++) {
    const character = sql[at]
    if (character === "'") quoted = !quoted
    if (quoted) continue
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth < 0) return sql.slice(0, at).trimEnd().length
    const wordStarts = at > start && /\s/.test(sql[at - 1] ?? ' ') && !isBetween(sql, at)
    if (depth === 0 && (character === ';' || (wordStarts && AFTER.test(sql.slice(at))))) {
      return sql.slice(0, at).trimEnd().length
    }
  }
  return sql.trimEnd().length
}
