import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasAmbiguousName, parseJsonObject } from '../../../../worker/platform/http/parse-json.ts'
import { fetchApi } from '../../fetch-api.ts'

describe('a JSON body', () => {
  it('reads as the parser reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value)
        if (!hasAmbiguousName(text)) expect(parseJsonObject(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('with a name twice is seen, however deep it stands and however it is spelled', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.jsonValue()), (name, before) => {
        const escaped = [...name].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
        fc.pre([...name].every((char) => char.length === 1))
        const twice = `{${JSON.stringify(name)}:1,"${escaped}":2}`
        expect(hasAmbiguousName(`{"a":[${[...before.map((value) => JSON.stringify(value)), twice].join()}]}`)).toBe(
          true,
        )
      }),
    )
  })

  it('of a megabyte in one string is read as quickly as any', () => {
    for (const char of ['a', '\\n', '\\u0061']) {
      const text = `{"a":"${char.repeat((1 << 20) / char.length)}"}`
      expect(Object.keys(parseJsonObject(text))).toEqual(['a'])
    }
  })

  it.each([
    ['lists', '[],'],
    ['objects', '{},'],
    ['members', '"":1,'],
    ['lists in lists', '['],
  ])('of a megabyte of %s is refused before it is read', (_, part) => {
    const text = `{"blockchain":"Bitcoin","txids":[${part.repeat((1 << 20) / part.length)}`
    expect(() => parseJsonObject(text)).toThrow(expect.objectContaining({ status: 413, code: 'body_too_large' }))
  })

  it('of as many commas in one string, or as many txids as may be asked for, is taken', () => {
    const name = ',[{:\\"'.repeat(40_000)
    expect(parseJsonObject(JSON.stringify({ name }))).toEqual({ name })
    const txids = Array.from({ length: 15_000 }, () => 'a'.repeat(64))
    expect(parseJsonObject(JSON.stringify({ txids }))).toEqual({ txids })
  })

  it.each(['/v0/blob', '/v0/web', '/v0/tx', '/v0/token'])('with a name twice is refused by POST %s', async (path) => {
    const body = '{"blockchain":"Bitcoin","txids":[],"blockchain":"Dogecoin"}'
    const response = await fetchApi('POST', path, { body })
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'invalid_json', message: 'The body has a name twice, or the name "__proto__".' },
    ])
  })
})
