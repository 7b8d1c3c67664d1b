import { expect, it } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

it.each([
  ['/v0/item/counts', 'GET, HEAD'],
  ['/v0/item/merge', 'POST'],
  ['/v0/targets', 'GET, HEAD'],
  ['/console/session', 'POST, PUT, DELETE'],
])('Allow of %s names the methods that its description has: %s', async (path, methods) => {
  const response = await fetchApi('PATCH', path)
  expect([response.status, response.headers.get('Allow')]).toEqual([405, methods])
})

it.each([
  ['DELETE', '/v0/item/counts', 'GET, HEAD'],
  ['GET', '/v0/item/merge', 'POST'],
  ['DELETE', '/v0/user/passkeys/options', 'POST'],
])('%s %s is no method of that path, though it would be one of an id', async (method, path, methods) => {
  const { token } = await signIn()
  const response = await fetchApi(method, path, { token })
  expect([response.status, response.headers.get('Allow')]).toEqual([405, methods])
})
