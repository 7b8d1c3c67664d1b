import { parseSync } from 'vite'
import type { Mutation, Operator } from './mutation.ts'
import { findSqlConditions, isSql } from './sql-conditions.ts'

/** A node of the syntax tree (ESTree), as far as anything here is known of it. */
interface SyntaxNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

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
  const add = (operator: Operator, start: number, end: number, text: string): void => {
    const line = source.slice(0, start).split('\n').length
    if (source.slice(start, end) !== text) found.push({ operator, path, line, start, end, text })
  }
  const visit = (node: SyntaxNode, parent: SyntaxNode | undefined): void => {
    // Types vanish, and what goes to the log nobody reads back.
    if (node.type.startsWith('TS') || node.type === 'ImportDeclaration' || isLogging(source, node)) return
    if (node.type === 'BinaryExpression') flip(node, source, add)
    else if (node.type === 'AwaitExpression') changeAwait(node, parent, source, add)
    else if (node.type === 'Literal') changeLiteral(node, source, add)
    else if (node.type === 'TemplateElement') changeSql(node.start, node.end, source, add)
    for (const [key, child] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'returnType') continue
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, node)
    }
  }
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`)
  const root: unknown = program
  if (isNode(root)) visit(root, undefined)
  return found.sort((a, b) => a.start - b.start)
}

type Add = (operator: Operator, start: number, end: number, text: string) => void

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
const READS = /^(?:read|select|find|has|is|list|get|count|all|first|raw|head|arrayBuffer|bytes|text|json)(?:[A-Z]|$)/

/** The name of what an expression calls, `c` of `a.b.c()`. */
function calledName(node: unknown): string {
  if (!isNode(node) || node.type !== 'CallExpression' || !isNode(node.callee)) return ''
  const { callee } = node
  const named = callee.type === 'MemberExpression' ? callee.property : callee
  return isNode(named) && typeof named.name === 'string' ? named.name : ''
}

function changeAwait(node: SyntaxNode, parent: SyntaxNode | undefined, source: string, add: Add): void {
  const text = source.slice(node.start, node.end)
  if (!READS.test(calledName(node.argument))) {
    add('await repeated or lost', node.start, node.end, `(${text}, ${text})`)
  }
  if (parent?.type === 'ExpressionStatement') add('await repeated or lost', node.start, node.end, 'undefined')
}

function changeLiteral(node: SyntaxNode, source: string, add: Add): void {
  const { value, bigint } = node
  const { start, end } = node
  if (typeof bigint === 'string') add('constant changed', start, end, `${BigInt(bigint) + 1n}n`)
  else if (typeof value === 'boolean') add('constant changed', start, end, String(!value))
  else if (typeof value === 'number') add('constant changed', start, end, String(value + 1))
  else if (typeof value === 'string') changeSql(start + 1, end - 1, source, add)
}

/** Conditions and constants of SQL. A dropped condition keeps its parameters: what is bound is counted. */
function changeSql(start: number, end: number, source: string, add: Add): void {
  const sql = source.slice(start, end)
  if (!isSql(sql)) return
  for (const condition of findSqlConditions(sql)) {
    const text = sql.slice(condition.start, condition.end)
    // A template's expression may begin or end a condition that goes on in the next part.
    const [opened, closed] = [text.split('(').length, text.split(')').length]
    if (opened !== closed) continue
    add('SQL condition dropped', start + condition.start, start + condition.end, `((${text}) OR true)`)
  }
  for (const match of sql.matchAll(/(?<![?\w'.])\d+(?![\w'])/g)) {
    const at = start + match.index
    add('constant changed', at, at + match[0].length, String(Number(match[0]) + 1))
  }
}
