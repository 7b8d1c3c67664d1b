import { expect, it } from 'vitest'
import { fetchApi } from '../fetch-api.ts'

it.each([
  ['/v0/item/counts', 'GET, HEAD'],
  ['/v0/item/merge', 'POST'],
  ['/v0/item/0123456789abcdef01234567', 'GET, HEAD, DELETE'],
  ['/console/session', 'POST, PUT, DELETE'],
])('Allow of %s names the methods that its description has: %s', async (path, methods) => {
  const response = await fetchApi('PATCH', path)
  expect([response.status, response.headers.get('Allow')]).toEqual([405, methods])
})
