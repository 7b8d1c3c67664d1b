import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { waitForVersion } from '../../cli/site/wait-for-version.ts'
import { ApiServer } from './api-server.ts'
import { contextOf } from './context-of.ts'

it('command 21: names the version that still answers when the new one does not show within 90 s', async () => {
  const api = await ApiServer.start([['GET', /^\/$/, () => ({ text: 'old', headers: { 'X-Ipfs-Roots': 'bafyold' } })]])
  let time = 0
  const now = () => {
    time += 60_000
    return time
  }
  const page = { size: 3, sha256: hash('sha256', 'new') }
  const versionOf = async (root: string | undefined) => (root === 'bafyold' ? 'version 4' : 'another version')
  const waiting = waitForVersion(contextOf({ now }), { url: new URL(`${api.url}/`), page, versionOf })
  await expect(waiting).rejects.toMatchObject({
    exitCode: 7,
    code: 'version_not_shown',
    message: expect.stringContaining('still answers version 4'),
  })
})
