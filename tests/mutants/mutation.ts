/** A change of a source file: the text from `start` to `end` becomes `text`. */
export interface Mutation {
  operator: Operator
  /** Path from the project's folder. */
  path: string
  line: number
  start: number
  end: number
  text: string
  /** Inside of a text of SQL: no type can be wrong then. */
  inSql: boolean
}

/** The kinds of change, all drawn as often as one another. */
export const OPERATORS = [
  'comparison flipped',
  'SQL condition dropped',
  'await repeated or lost',
  'constant changed',
] as const
/** What is drawn in their place where guards are asked for: what was there is left out. */
export const GUARDS = ['guard dropped', 'operand dropped', 'statement dropped', 'filter dropped'] as const

export type Operator = (typeof OPERATORS)[number] | (typeof GUARDS)[number]

/** The source with the change made. */
export function mutate(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end)
}

/** One line that tells a person what was changed. */
export function describeMutation(source: string, mutation: Mutation): string {
  const { operator, path, line, start, end, text } = mutation
  const shorten = (part: string) => {
    const flat = part.replace(/\s+/g, ' ')
    return flat.length > 100 ? `${flat.slice(0, 97)}...` : flat
  }
  return `${path}:${line} ${operator}: ${shorten(source.slice(start, end))} -> ${shorten(text)}`
}
