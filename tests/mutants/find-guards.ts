import type { Operator } from './mutation.ts'
import { calledName, isNode, type SyntaxNode } from './syntax-node.ts'

type Add = (operator: Operator, start: number, end: number, text: string) => void

/** What ends the way through a function, or a turn of a loop. */
const LEAVES = new Set(['ThrowStatement', 'ReturnStatement', 'ContinueStatement', 'BreakStatement'])

/** Calls whose result nobody reads: they throw where something is not as it has to be. */
const REQUIRES = /^(?:require|assert)[A-Z]/

/** What a person may leave out without being told: a condition under which nothing is done, a part of one, a statement of a batch. */
export function dropGuards(node: SyntaxNode, source: string, add: Add): void {
  const textOf = (one: SyntaxNode) => source.slice(one.start, one.end)
  if (node.type === 'IfStatement' && isNode(node.test) && node.alternate === null && leaves(node.consequent)) {
    add('guard dropped', node.test.start, node.test.end, `(${textOf(node.test)}) && false`)
  }
  const { expression } = node
  if (node.type === 'ExpressionStatement' && isNode(expression) && REQUIRES.test(calledName(expression))) {
    add('guard dropped', expression.start, expression.end, 'undefined')
  }
  const { left, right, operator } = node
  if (node.type === 'LogicalExpression' && operator !== '??' && isNode(left) && isNode(right)) {
    for (const kept of [left, right]) add('operand dropped', node.start, node.end, `(${textOf(kept)})`)
  }
  if (node.type === 'ArrayExpression' && Array.isArray(node.elements)) {
    for (const element of node.elements.filter(isNode)) {
      const made = element.type === 'SpreadElement' ? element.argument : element
      if (/Statements?$/.test(calledName(made))) add('statement dropped', element.start, element.end, '...[]')
    }
  }
  const { callee } = node
  if (calledName(node) === 'filter' && isNode(callee) && isNode(callee.object)) {
    add('filter dropped', callee.object.end, node.end, '')
  }
}

function leaves(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type !== 'BlockStatement') return LEAVES.has(node.type)
  return Array.isArray(node.body) && leaves(node.body.at(-1))
}
