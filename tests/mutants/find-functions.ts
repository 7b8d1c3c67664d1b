import { parseSync } from 'vite'

/** A function of a source: where it begins and ends in the text, and what it runs. */
interface SourceFunction {
  start: number
  end: number
  bodyStart: number
  bodyEnd: number
  /** Its body is a block, not the expression of an arrow function. */
  isBlock: boolean
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Every function with a body, outer ones before those inside. */
function findFunctions(path: string, source: string): SourceFunction[] {
  const found: SourceFunction[] = []
  const visit = (node: unknown): void => {
    if (!isObject(node)) return
    const { type, start, end, body } = node
    if (FUNCTIONS.has(String(type)) && isObject(body)) {
      const isBlock = body.type === 'BlockStatement'
      found.push({
        start: Number(start),
        end: Number(end),
        bodyStart: Number(body.start),
        bodyEnd: Number(body.end),
        isBlock,
      })
    }
    for (const child of Object.values(node)) if (isObject(child)) visit(child)
  }
  visit(parseSync(path, source).program)
  return found
}

/** The source in which every function adds its name, `path:start`, to the set `reached` of the global object. */
export function noteReached(path: string, source: string): string {
  const inserts = findFunctions(path, source).flatMap(({ start, bodyStart, bodyEnd, isBlock }) => {
    const note = `globalThis.reached?.add('${path}:${start}')`
    if (isBlock) return [{ at: bodyStart + 1, text: `${note};` }]
    return [
      { at: bodyStart, text: `(${note}, ` },
      { at: bodyEnd, text: ')' },
    ]
  })
  let noted = source
  // From the end, where they move none that is still to be made; of two at one place the inner one closes first.
  for (const { at, text } of inserts.toSorted((a, b) => b.at - a.at))
    noted = noted.slice(0, at) + text + noted.slice(at)
  return noted
}

/** The name by which the innermost function around a place is noted; none outside of all. */
export function reachedName(path: string, source: string, at: number): string | undefined {
  const around = findFunctions(path, source).filter(({ start, end }) => start <= at && at < end)
  const innermost = around.at(-1)
  return innermost && `${path}:${innermost.start}`
}
