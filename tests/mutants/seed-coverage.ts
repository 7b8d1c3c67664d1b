import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A part of a script and how often it ran, as V8 reports it (`Profiler.CoverageRange`); offsets in UTF-16 units. */
interface CoverageRange {
  startOffset: number
  endOffset: number
  count: number
}

/** What was run of each source of the Worker, by its path. */
export type SeedCoverage = Record<string, CoverageRange[]>

interface CoverageReport {
  result: { url: string; functions: { ranges: CoverageRange[] }[] }[]
}

/** What processes with `NODE_V8_COVERAGE=folder` have run of the Worker of the project at `root`. */
export function readCoverage(folder: string, root: string): SeedCoverage {
  const start = pathToFileURL(`${root}/`).href
  const coverage: SeedCoverage = {}
  for (const name of readdirSync(folder)) {
    const report: CoverageReport = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    for (const { url, functions } of report.result) {
      const path = url.startsWith(start) ? url.slice(start.length) : ''
      if (path.startsWith('worker/')) coverage[path] = functions.flatMap(({ ranges }) => ranges)
    }
  }
  return coverage
}

/** Whether a place of a source was run; Node removes types without moving anything. */
export function hasRun(coverage: SeedCoverage, path: string, at: number): boolean {
  const around = (coverage[path] ?? []).filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
  const [innermost] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
  return innermost !== undefined && innermost.count > 0
}
