import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'

type Env = Readonly<Record<string, string | undefined>>

/** GitHub drops a summary that is larger than 1,024 KiB. */
const MAX_SUMMARY_BYTES = 1_000_000
/** For each level and step. */
const MAX_ANNOTATIONS = 10

/** The place of a fault. */
export interface Fault {
  /** Relative to the repository. */
  file: string
  line: number
  text: string
  level: 'error' | 'warning'
}

/** Sets an output. The value may contain anything, because its delimiter is random. */
export function setOutput(env: Env, name: string, value: string): void {
  if (!env.GITHUB_OUTPUT) return
  const end = randomUUID()
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`)
}

/** Appends to the summary of the run. Text beyond GitHub's limit is cut, since GitHub would drop the whole summary. */
export function addSummary(env: Env, markdown: string): void {
  if (!env.GITHUB_STEP_SUMMARY) return
  const bytes = Buffer.from(markdown)
  const cut = bytes.length > MAX_SUMMARY_BYTES
  const text = cut
    ? `${bytes
        .subarray(0, MAX_SUMMARY_BYTES)
        .toString()
        .replace(/\ufffd$/, '')}\n\n… cut here.`
    : markdown
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`)
}

/** Annotation lines for faults in files: ten of each level, then a count of the others. */
export function annotationLines(faults: readonly Fault[]): string[] {
  return (['error', 'warning'] as const).flatMap((level) => {
    const found = faults.filter((fault) => fault.level === level)
    const lines = found
      .slice(0, found.length > MAX_ANNOTATIONS ? MAX_ANNOTATIONS - 1 : MAX_ANNOTATIONS)
      .map(({ file, line, text }) => {
        return `::${level} file=${escapeProperty(file)},line=${line}::${escapeData(text)}`
      })
    const left = found.length - lines.length
    return left > 0 ? [...lines, `::${level}::${left} more faults are in _headers and _redirects.`] : lines
  })
}

/** The line that shows one sentence at the top of the run. */
export function errorLine(text: string): string {
  return `::error::${escapeData(text)}`
}

export function noticeLine(text: string): string {
  return `::notice::${escapeData(text)}`
}

// Escaped as the runner expects it (actions/toolkit, command.ts).
const escapeData = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
