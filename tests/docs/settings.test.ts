import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { DEPLOY_SETTINGS } from '../../scripts/deploy/check-deploy.ts'
import { SETTINGS } from '../../scripts/settings/settings.ts'
import { EXAMPLE, exampleText, namesOf } from '../../scripts/settings/settings-document.ts'
import { VARIABLES } from '../../worker/platform/config/config.ts'

const settings = [...SETTINGS]

describe('the settings of an operator', () => {
  it('are at most 71, of which a first deployment reads at most 20', () => {
    // The 71st is RESERVED_NAMES: which names are an operator's own nobody else can know.
    expect(settings.length).toBeLessThanOrEqual(71)
    const first = settings.filter(([, { part }]) => part === 'first')
    expect(first.flatMap(([name]) => namesOf(name)).length).toBeLessThanOrEqual(20)
  })

  it('each have a sentence of what they are, and one of why one would turn them', () => {
    const faulty = settings.filter(([, { what, why }]) => [what, why].some((text) => !/^[`A-Z].{10,}\.$/.test(text)))
    expect(faulty).toEqual([])
  })

  it('are those that the Worker and a deployment read, each in the example, which `npm run docs:limits` writes', () => {
    const text = readFileSync(EXAMPLE, 'utf8')
    expect(text).toBe(exampleText())
    expect(Object.keys(parseEnv(text)).sort()).toEqual([...VARIABLES, ...DEPLOY_SETTINGS].sort())
  })
})
