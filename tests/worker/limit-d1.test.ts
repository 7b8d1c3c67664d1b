import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'

it('holds the D1 of these tests to the limits that only production enforces', async () => {
  const value = 'a'.repeat(1_500_000)
  await expect(env.DB.prepare('SELECT ?1 AS a').bind(value).first()).resolves.toEqual({ a: value })
  await expect(env.DB.prepare('SELECT ?1 AS a').bind(`${value}${value}`).all()).rejects.toThrow(/too big/)
  const both = env.DB.prepare('SELECT ?1 AS a UNION ALL SELECT ?1').bind(value)
  await expect(both.all()).rejects.toThrow(/^D1_ERROR: result too big/)
  await expect(env.DB.batch([both])).rejects.toThrow(/^D1_ERROR: result too big/)
})
