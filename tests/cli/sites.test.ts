import { expect, it } from 'vitest'
import { ApiServer } from './api-server.ts'
import { User } from './run-hookline.ts'
import { SITE, serveSites } from './site-server.ts'

async function start() {
  const api = await ApiServer.start()
  const sites = serveSites(api)
  const item = 'c'.repeat(24)
  sites.versions = [
    { number: 3, item, periods: [{ from: 30, until: null, by: 'ada' }] },
    { number: 2, item, periods: [{ from: 20, until: 25, by: 'ada' }] },
    { number: 1, item, periods: [{ from: 25, until: 30, by: 'ada' }] },
  ]
  sites.current = 3
  return { api, sites, user: new User(api.url) }
}

const twin = { id: 'd'.repeat(24), name: 'site', host: 'h', url: 'https://other.example/' }
const other = { ...twin, version: null, item: null, versions: 0, createdAt: 1 }

it('site ls lists the sites of the account, one object a line', async () => {
  const { user, sites } = await start()
  sites.others = [other]
  const { stdout } = await user.run(['site', 'ls', '--json'])
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: other.id }, { id: SITE, version: 3 }])
})

it('site versions marks the version that is shown', async () => {
  const { user } = await start()
  const { stdout } = await user.run(['site', 'versions', 'site'])
  expect(stdout.split('\n').map((line) => line.slice(0, 4))).toEqual(['* 3 ', '  2 ', '  1 ', ''])
})

it('site rollback shows the version that was shown before, or the one named, and pays nothing', async () => {
  const { user, sites, api } = await start()
  expect((await user.json(['site', 'rollback', 'site'])).document).toMatchObject({
    exitCode: 0,
    result: { id: SITE, version: 1, before: 3 },
  })
  expect(sites.current).toBe(1)
  expect(await user.run(['site', 'rollback', SITE, '2'])).toMatchObject({ code: 0 })
  expect(sites.current).toBe(2)
  const again = await user.run(['site', 'rollback', SITE, '2'])
  expect(again.stdout).toContain('already')
  expect(api.paths.filter((path) => path.startsWith('POST'))).toEqual([])
})

it('site rollback of a site that showed nothing else says so', async () => {
  const { user, sites } = await start()
  sites.versions = sites.versions.slice(0, 1)
  expect((await user.json(['site', 'rollback', 'site'])).document).toMatchObject({
    exitCode: 5,
    error: { code: 'no_version_before' },
  })
})

it('site rm asks first, and deletes the site that is meant', async () => {
  const { user, api } = await start()
  expect(await user.run(['site', 'rm', 'site'])).toMatchObject({ code: 2 })
  expect(await user.run(['site', 'rm', 'site', '--yes'])).toMatchObject({ code: 0 })
  expect(api.paths.filter((path) => path.startsWith('DELETE'))).toEqual([`DELETE /v0/site/${SITE}`])
})

it.each([['versions'], ['rollback'], ['rm']])(
  'site %s of a name that two sites have ends with 2 and their ids',
  async (act) => {
    const { user, sites, api } = await start()
    sites.others = [other]
    const { document } = await user.json(['site', act, 'site', ...(act === 'rm' ? ['--yes'] : [])])
    expect(document).toMatchObject({ exitCode: 2, error: { code: 'site_ambiguous' } })
    expect(document.error.problems.join()).toContain(other.id)
    expect(document.error.problems.join()).toContain(SITE)
    expect(api.paths.filter((path) => !path.startsWith('GET'))).toEqual([])
  },
)

it('a name that no site has is refused before anything is changed', async () => {
  const { user } = await start()
  expect((await user.json(['site', 'versions', 'blog'])).document).toMatchObject({
    exitCode: 5,
    error: { code: 'not_found', message: 'You have no site named "blog".' },
  })
})
