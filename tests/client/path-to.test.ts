import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pathTo } from '../../client/http/path-to.ts'
import { createClient } from '../../client/index.ts'

it('an id is one segment of its path, whatever it is, or refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('..', '.', '%2e%2e', 'a/b', '../site/1', '?a=b')), (id) => {
      let path: string
      try {
        path = pathTo`/v0/item/${id}/retry`
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_id' })
        return
      }
      const { pathname, search, hash } = new URL(path, 'https://api.test')
      expect([pathname.split('/').length, search, hash]).toEqual([5, '', ''])
      expect(decodeURIComponent(pathname.split('/')[3] ?? '')).toBe(id)
    }),
  )
})

it('an id that leads to another part of the API deletes nothing there', async () => {
  const seen: string[] = []
  const client = createClient({
    api: 'https://api.test',
    key: 'hk_test',
    async fetch(url) {
      seen.push(url)
      return new Response(null, { status: 204 })
    },
  })
  for (const { delete: remove } of [client.items, client.sites]) {
    await expect(remove('../site/6b01a4cc8a40fc232d317ec6')).rejects.toMatchObject({ code: 'invalid_id' })
  }
  await expect(client.domains.delete('..')).rejects.toMatchObject({ code: 'invalid_id' })
  expect(seen).toEqual([])
})
