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

it('site address sets the address of a site, shows it, changes and ends it', async () => {
  const { user, sites } = await start()
  const none = { id: SITE, address: null, addressUrl: null }
  const named = (address: string) => ({ address, addressUrl: `http://${address}.storage.localhost/` })
  const run = async (...words: string[]) => (await user.json(['site', 'address', 'site', ...words])).document
  expect(await run()).toMatchObject({ exitCode: 0, result: none })
  expect(await run('almanac')).toMatchObject({ exitCode: 0, result: { id: SITE, ...named('almanac') } })
  expect(await run()).toMatchObject({ exitCode: 0, result: named('almanac') })
  expect((await user.run(['site', 'ls'])).stdout).toContain('http://almanac.storage.localhost/')
  const { stdout } = await user.run(['site', 'address', SITE, 'calendar'])
  expect(stdout).toContain('http://calendar.storage.localhost/')
  expect(stdout).toContain('almanac leads there')
  expect(await run('--end')).toMatchObject({ exitCode: 0, result: none })
  expect(sites.address).toBeNull()
})

it('site address that is refused ends with the reason, and changes nothing', async () => {
  const { user, sites } = await start()
  sites.address = 'almanac'
  expect((await user.json(['site', 'address', 'site', 'www'])).document).toMatchObject({
    exitCode: 5,
    error: { code: 'address_reserved' },
  })
  expect((await user.json(['site', 'address', 'site', 'calendar', '--end'])).document).toMatchObject({ exitCode: 2 })
  expect(sites.address).toBe('almanac')
})

it('site withdraw-address asks first, and for a reason', async () => {
  const { user, api } = await start()
  const words = ['site', 'withdraw-address', 'my-bank']
  expect(await user.run([...words, '--yes'])).toMatchObject({ code: 2 })
  expect(await user.run([...words, '--reason', 'phishing'])).toMatchObject({ code: 2 })
  expect(await user.run([...words, '--reason', 'phishing', '--yes'])).toMatchObject({ code: 0 })
  expect(api.paths.filter((path) => path.startsWith('POST'))).toEqual(['POST /v0/address/my-bank/withdraw'])
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
