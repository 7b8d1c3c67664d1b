/** A node of the syntax tree (ESTree), as far as anything here is known of it. */
export interface SyntaxNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** The name of what an expression calls, `c` of `a.b.c()`. */
export function calledName(node: unknown): string {
  if (!isNode(node) || node.type !== 'CallExpression' || !isNode(node.callee)) return ''
  const { callee } = node
  const named = callee.type === 'MemberExpression' ? callee.property : callee
  return isNode(named) && typeof named.name === 'string' ? named.name : ''
}
