import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clientAnswers } from '../../scripts/api-types/client-answers.ts'
import { openapiDocument } from '../../worker/features/docs/openapi-document.ts'

it('the tables by which the library reads answers are those of the contract', () => {
  const { shapes } = clientAnswers(openapiDocument(new URL('https://api.example')).components.schemas)
  expect(readFileSync(new URL('../../client/generated/shapes.ts', import.meta.url), 'utf8')).toBe(shapes)
})
