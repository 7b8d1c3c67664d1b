import { parseSync } from 'vite'
import { dropGuards } from './find-guards.ts'
import type { Mutation, Operator } from './mutation.ts'
import { findSqlConditions, isSql } from './sql-conditions.ts'
import { calledName, isNode, type SyntaxNode } from './syntax-node.ts'

const FLIPPED = new Map([
  ['<', '>='],
  ['<=', '>'],
  ['>', '<='],
  ['>=', '<'],
  ['===', '!=='],
  ['!==', '==='],
])

/** Every change that the operators can make to a source, in its order. */
export function findMutations(path: string, source: string): Mutation[] {
  const found: Mutation[] = []
  const add: Add = (operator, start, end, text, inSql = false) => {
    const line = source.slice(0, start).split('\n').length
    if (source.slice(start, end) !== text) found.push({ operator, path, line, start, end, text, inSql })
  }
  const visit = (node: SyntaxNode, parent: SyntaxNode | undefined, first: boolean): void => {
    // Types vanish, and what goes to the log nobody reads back.
    if (node.type.startsWith('TS') || node.type === 'ImportDeclaration' || isLogging(source, node)) return
    if (node.type === 'BinaryExpression') flip(node, source, add)
    else if (node.type === 'AwaitExpression') changeAwait(node, parent, source, add)
    else if (node.type === 'Literal') changeLiteral(node, source, first, add)
    else if (node.type === 'TemplateLiteral') changeSql(textOf(node, source), node.start + 1, first, add)
    dropGuards(node, source, add)
    const ofFirst = first || calledName(node) === 'first'
    for (const [key, child] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'returnType') continue
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, node, ofFirst)
    }
  }
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`)
  const root: unknown = program
  if (isNode(root)) visit(root, undefined, false)
  return found.sort((a, b) => a.start - b.start)
}

type Add = (operator: Operator, start: number, end: number, text: string, inSql?: boolean) => void

function isLogging(source: string, node: SyntaxNode): boolean {
  return node.type === 'CallExpression' && source.startsWith('console.', node.start)
}

function flip(node: SyntaxNode, source: string, add: Add): void {
  const { left, right, operator } = node
  const flipped = FLIPPED.get(String(operator))
  if (!flipped || !isNode(left) || !isNode(right)) return
  const at = source.indexOf(String(operator), left.end)
  if (at < right.start) add('comparison flipped', at, at + String(operator).length, flipped)
}

/** Calls that only read: to do one twice has no effect that could be repeated. */
const READS =
  /^(?:read|require|select|find|has|is|list|get|count|all|first|raw|head|arrayBuffer|bytes|text|json)(?:[A-Z]|$)|[a-z]Page$/

/** A promise that is there already, or a module: to wait for either twice does nothing a second time. */
function isPromiseOrModule(node: unknown): boolean {
  return isNode(node) && (node.type === 'Identifier' || node.type === 'ImportExpression')
}

function changeAwait(node: SyntaxNode, parent: SyntaxNode | undefined, source: string, add: Add): void {
  const text = source.slice(node.start, node.end)
  const unused = parent?.type === 'ExpressionStatement'
  const isRead = READS.test(calledName(node.argument)) || isPromiseOrModule(node.argument)
  if (!isRead && !(unused && isSameTwice(node.argument, source))) {
    add('await repeated or lost', node.start, node.end, `(${text}, ${text})`)
  }
  if (unused) add('await repeated or lost', node.start, node.end, 'undefined')
}

/**
 * A statement that leaves the same when it is run again: it deletes all of something, or sets what it is given. What a
 * template's expression stands for is masked as a name.
 */
const SAME_TWICE =
  /^\s*(?:DELETE FROM (?!.*\bLIMIT\b)|INSERT OR REPLACE |UPDATE \w+ SET (?:\w+ = (?:\?\d*|NULL|\d+|'\w*'|xx+)(?:,\s*)?)+(?:\s+WHERE |$))/s

/** Methods of R2 that may be called twice with the same. */
const OF_BUCKETS = new Set(['put', 'delete', 'abort'])

/** Whether doing it twice is doing it once: an object put or deleted, or statements of SQL of that kind. */
function isSameTwice(call: unknown, source: string): boolean {
  if (isNode(call) && call.type === 'ChainExpression') return isSameTwice(call.expression, source)
  if (!isNode(call) || call.type !== 'CallExpression' || !isNode(call.callee)) return false
  const name = calledName(call)
  // What is done where it fails changes nothing in that.
  if (name === 'catch') return isSameTwice(call.callee.object, source)
  if (call.callee.type === 'MemberExpression' && OF_BUCKETS.has(name)) return true
  const [statements]: unknown[] = Array.isArray(call.arguments) ? call.arguments : []
  if (name === 'batch' && isNode(statements) && Array.isArray(statements.elements)) {
    return statements.elements.every((one) => isNode(one) && SAME_TWICE.test(preparedText(one, source) ?? ''))
  }
  return name === 'run' && SAME_TWICE.test(preparedText(call, source) ?? '')
}

/** The SQL of `db.prepare(sql).bind(…).run()`, where it stands there. */
function preparedText(call: SyntaxNode, source: string): string | undefined {
  if (calledName(call) === 'prepare' && Array.isArray(call.arguments)) {
    const [sql]: unknown[] = call.arguments
    return isNode(sql) ? textOf(sql, source).masked : undefined
  }
  const before = isNode(call.callee) ? call.callee.object : undefined
  return isNode(before) ? preparedText(before, source) : undefined
}

function changeLiteral(node: SyntaxNode, source: string, first: boolean, add: Add): void {
  const { value, bigint } = node
  const { start, end } = node
  if (typeof bigint === 'string') add('constant changed', start, end, `${BigInt(bigint) + 1n}n`)
  else if (typeof value === 'boolean') add('constant changed', start, end, String(!value))
  else if (typeof value === 'number') add('constant changed', start, end, String(value + 1))
  else if (typeof value === 'string') changeSql(textOf(node, source), start + 1, first, add)
}

/** What stands between quotes. */
interface SqlText {
  sql: string
  /** With names in place of a template's expressions, as long as they are. */
  masked: string
}

function textOf(node: SyntaxNode, source: string): SqlText {
  const sql = source.slice(node.start + 1, node.end - 1)
  let masked = sql
  for (const expression of Array.isArray(node.expressions) ? node.expressions.filter(isNode) : []) {
    const from = source.lastIndexOf('${', expression.start) - node.start - 1
    const to = source.indexOf('}', expression.end) - node.start
    masked = masked.slice(0, from) + 'x'.repeat(to - from) + masked.slice(to)
  }
  return { sql, masked }
}

/** What EXISTS, a count or a whole query selects without a name is read by nobody, and of more rows than one a value and `first()` take the first. */
const UNREAD = /\b(?:EXISTS|FROM) \(\s*SELECT (?=1\b)|^\s*SELECT (?=1\s+FROM\b)/g
const ONE_ROW = /\bLIMIT (?=1\b)/g

/** Whether LIMIT at this place ends a query that stands for a value, or the whole text. */
function takesFirst(sql: string, at: number, first: boolean): boolean {
  let depth = 0
  for (let open = at - 1; open >= 0; open--) {
    if (sql[open] === ')') depth++
    if (sql[open] === '(' && depth-- === 0) return !/\b(?:IN|FROM|JOIN|AS)\s*$/i.test(sql.slice(0, open))
  }
  return first
}

/** Conditions and constants of SQL. A dropped condition keeps its parameters: what is bound is counted. */
function changeSql({ sql, masked }: SqlText, start: number, first: boolean, add: Add): void {
  if (!isSql(masked)) return
  for (const condition of findSqlConditions(masked)) {
    const text = sql.slice(condition.start, condition.end)
    // A text that is put together may begin or end a condition that goes on in the next part.
    const shape = masked.slice(condition.start, condition.end)
    if (shape.split('(').length !== shape.split(')').length) continue
    add('SQL condition dropped', start + condition.start, start + condition.end, `((${text}) OR true)`, true)
  }
  const ones = [...masked.matchAll(ONE_ROW)].filter(({ index }) => takesFirst(masked, index, first))
  const unread = [...masked.matchAll(UNREAD), ...ones]
  const unreadAt = new Set(unread.map((match) => match.index + match[0].length))
  for (const match of masked.matchAll(/(?<![?\w'.])\d+(?![\w'])/g)) {
    if (unreadAt.has(match.index)) continue
    const at = start + match.index
    add('constant changed', at, at + match[0].length, String(Number(match[0]) + 1), true)
  }
}
