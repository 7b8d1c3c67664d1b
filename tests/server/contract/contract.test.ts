import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUCKET_CASES } from './bucket-cases.ts'
import { DATABASE_CASES } from './database-cases.ts'
import { type Platform, startMiniflare, startServer } from './platforms.ts'

describe.each([
  ['Miniflare', startMiniflare],
  ['the server', () => startServer()],
])('%s', (_, start) => {
  let platform: Platform
  beforeAll(async () => {
    platform = await start()
  })
  afterAll(async () => await platform.close())

  it.each(Object.entries(BUCKET_CASES))('bucket: %s', async (name, { sees }) => {
    expect(await platform.run('bucket', name)).toEqual(sees)
  })

  it.each(Object.entries(DATABASE_CASES))('database: %s', async (name, { sees }) => {
    expect(await platform.run('database', name)).toEqual(sees)
  })
})
