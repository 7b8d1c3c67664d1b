/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'

const SOURCES = import.meta.glob<string>('../../worker/**/*.ts', { query: '?raw', import: 'default', eager: true })

/** The places in the Worker where `pattern` is found, as `<file>: <match>`. */
function places(pattern: RegExp): string[] {
  return Object.entries(SOURCES).flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map(([match]) => `${path.slice('../../worker/'.length)}: ${match}`),
  )
}

it('has its time from one place, so that a test can hold it still', () => {
  expect(places(/\bDate\.now\(\)|new Date\(\)/g)).toEqual(['platform/clock.ts: Date.now()'])
})

it('begins every line of its log with a code', () => {
  expect(
    places(/console\.(?:error|warn|log)\((?!'[a-z_]+'|`[a-z_]+\$\{\w+\}_[a-z_]+`|(?:error\.)?code\b)[^)\n]*/g),
  ).toEqual([])
})
