import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Parser from '@actions/workflow-parser'
import { build } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'

let parser: typeof Parser

beforeAll(async () => {
  // Bundled: it imports JSON without saying so, which Node refuses.
  const folder = mkdtempSync(join(tmpdir(), 'hookline-workflows-'))
  const outfile = join(folder, 'parser.cjs')
  const contents = "export * from '@actions/workflow-parser'"
  await build({ stdin: { contents, resolveDir: '.' }, outfile, bundle: true, format: 'cjs', platform: 'node' })
  parser = createRequire(import.meta.url)(outfile)
  rmSync(folder, { recursive: true })
})

const read = (name: string) => readFileSync(name, 'utf8')

/** What GitHub's own parser says of a workflow. */
function faultsOf(name: string, content: string): string[] {
  const { context } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

it.each(['.github/workflows/ci.yml', '.github/workflows/release.yml', 'examples/deploy-site.yml'])(
  '%s is a workflow by GitHub’s schema',
  (name) => {
    expect(faultsOf(name, read(name))).toEqual([])
  },
)

it('the schema rejects an unknown key of a step', () => {
  const content = read('examples/deploy-site.yml').replace('with:', 'given:')
  expect(faultsOf('wrong.yml', content).join()).toContain('given')
})

it('the example sets all required inputs of the action, and no unknown ones', () => {
  const inputs = [
    ...(read('action.yml')
      .split('\noutputs:')[0]
      ?.matchAll(/^ {2}([\w-]+):\n[\s\S]*?required: (\w+)/gm) ?? []),
  ]
  const given = [...read('examples/deploy-site.yml').matchAll(/^ {10}([\w-]+):/gm)].map(([, name = '']) => name)
  const names = given.filter((name) => name !== 'URL')
  expect(inputs.length).toBeGreaterThan(5)
  for (const [, name = '', required] of inputs) if (required === 'true') expect(names).toContain(name)
  for (const name of names) expect(inputs.map(([, known]) => known)).toContain(name)
})
