import { expect, it } from 'vitest'
import { ApiServer, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'
import { serveSites } from './site-server.ts'

const LIMIT = ['--max-fee', '1']

/** `1/2/…/<count>`, as of reproduction 21. */
const levels = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join('/')

async function start(depth: number) {
  const api = await ApiServer.start([TARGETS])
  serveSites(api)
  const user = new User(api.url)
  user.write(`site/${levels(depth)}/x`, 'x\n')
  user.write('site/index.html', 'i\n')
  return { api, user }
}

it.each([
  ['put', ['put', 'site', '--to', 'ipfs', ...LIMIT]],
  ['put --dry-run', ['put', 'site', '--to', 'ipfs', '--dry-run']],
  ['put as files', ['put', 'site', '--to', 'nativecoin', '--as', 'files', ...LIMIT]],
  ['put on a chain', ['put', 'site', '--to', 'nativecoin', ...LIMIT]],
  ['estimate', ['estimate', 'site', '--to', 'ipfs']],
  ['site deploy', ['site', 'deploy', 'site', '--site', 'site', ...LIMIT]],
])('%s of a folder 40 levels deep names the path before a price, and makes nothing', async (_, args) => {
  const { api, user } = await start(40)
  const ran = await user.run(args)
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain(`${levels(40)}/x: it is 40 folders deep, and the limit is 3`)
  expect(ran.stdout + ran.stderr).not.toContain('costs')
  expect(api.paths.filter((path) => !path.startsWith('GET '))).toEqual([])
})

it('an empty folder that is too deep is named, in a website alone', async () => {
  const { api, user } = await start(1)
  user.makeFolder(`site/${levels(33)}`)
  const website = await user.run(['put', 'site', '--to', 'ipfs', ...LIMIT])
  expect(website).toMatchObject({ code: 2, stderr: expect.stringContaining(`${levels(33)}: it is 33 folders deep`) })
  expect(api.fake.folders.size).toBe(0)
  expect((await user.run(['put', 'site', '--to', 'nativecoin', '--as', 'files', ...LIMIT])).code).toBe(8)
})

it.each([
  ['ipfs', 31],
  ['nativecoin', 31],
])('a folder on %s may be %i levels deep', async (to, depth) => {
  const { user } = await start(depth)
  expect((await user.run(['put', 'site', '--to', to, ...LIMIT])).code).toBe(8)
})
