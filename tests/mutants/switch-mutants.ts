import { parseSync } from 'vite'
import { findMutations } from './find-mutations.ts'
import type { Mutation } from './mutation.ts'
import { isNode, type SyntaxNode } from './syntax-node.ts'

declare global {
  /** Whether a mutation is the one that is made now. Who runs switched sources has to set it before they are imported. */
  var isMutated: (id: string) => boolean
}

/** A mutation by the name that it has in all processes. */
export interface Mutant extends Mutation {
  id: string
}

export function listMutants(path: string, source: string): Mutant[] {
  return findMutations(path, source).map((mutation, index) => ({ ...mutation, id: `${path}#${index}` }))
}

/** An expression that stands twice in the switched source: as it is with the mutation, and as it is without. */
interface Edit {
  start: number
  end: number
  mutant: Mutant
  /** A whole statement: it may not begin with a bracket, which would call what stands before. */
  isStatement: boolean
}

/** The source with all of its mutations, each made where `isMutated(id)` returns true, and asked where it is reached. */
export function switchMutants(path: string, source: string): string {
  const program: unknown = parseSync(path, source).program
  const edits = listMutants(path, source).map((mutant) => editOf(program, mutant))
  return withEdits(source, 0, source.length, edits)
}

function withEdits(source: string, from: number, to: number, edits: readonly Edit[]): string {
  const [outer, ...rest] = edits.toSorted((a, b) => a.start - b.start || b.end - a.end)
  if (!outer) return source.slice(from, to)
  const { start, end, mutant, isStatement } = outer
  const before = source.slice(from, start)
  const inside = rest.filter((edit) => edit.start < end)
  const after = rest.filter((edit) => edit.start >= end)
  const mutated = source.slice(start, mutant.start) + mutant.text + source.slice(mutant.end, end)
  const usual = withEdits(source, start, end, inside)
  const switched = `(globalThis.isMutated('${mutant.id}') ? (${mutated}) : (${usual}))`
  return before + (isStatement ? `void ${switched}` : switched) + withEdits(source, end, to, after)
}

/** Left out: a function would only be made otherwise, and of `a.b()` not even `a.b` can be replaced. */
const NOT_SWITCHED = new Set(['FunctionExpression', 'ArrowFunctionExpression', 'ClassExpression', 'MemberExpression'])

/** The innermost expression around a mutation that another may stand for. */
function editOf(program: unknown, mutant: Mutant): Edit {
  let found: SyntaxNode | undefined
  let statement: SyntaxNode | undefined
  /** @param isLink whether what is around goes on with `?.`: nothing can stand for a part of that. */
  const visit = (node: SyntaxNode, parent: SyntaxNode | undefined, isLink: boolean): void => {
    if (mutant.start < node.start || node.end < mutant.end) return
    if (node.type === 'ExpressionStatement') statement = node
    const isKey = parent?.type === 'Property' && parent.key === node
    const isQuasi = parent?.type === 'TaggedTemplateExpression'
    const isWhole = node.start === mutant.start && node.end === mutant.end
    const isExpression = /(?:Expression|Literal)$/.test(node.type) && !NOT_SWITCHED.has(node.type)
    const isCondition = isWhole && parent?.type === 'IfStatement' && parent.test === node
    const isElement = isWhole && mutant.text.startsWith('...')
    if ((isExpression || isCondition) && !isLink && !isKey && !isQuasi && !isElement) found = node
    for (const child of Object.values(node).flat()) {
      if (!isNode(child)) continue
      const goesOn = child === node.callee || child === node.object
      visit(child, node, node.type === 'ChainExpression' || (isLink && goesOn))
    }
  }
  if (isNode(program)) visit(program, undefined, false)
  const expression = statement && isNode(statement.expression) ? statement.expression : undefined
  if (found && expression && expression.start === found.start) {
    return { start: expression.start, end: expression.end, mutant, isStatement: true }
  }
  if (!found) throw new Error(`${mutant.path}:${mutant.line} is in no expression`)
  return { start: found.start, end: found.end, mutant, isStatement: false }
}
