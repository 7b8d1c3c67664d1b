import { describe, expect, it } from 'vitest'
import { fetchApi } from '../../../fetch-api.ts'

describe('GET /', () => {
  it.each([
    ['navigate', '/console'],
    ['cors', '/docs'],
    ['no-cors', '/docs'],
    [undefined, '/docs'],
  ])('with Sec-Fetch-Mode %s leads to %s', async (mode, place) => {
    const answer = await fetchApi('GET', '/', mode === undefined ? {} : { headers: { 'Sec-Fetch-Mode': mode } })
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, place])
    expect(answer.headers.get('Vary')).toContain('Sec-Fetch-Mode')
  })
})
