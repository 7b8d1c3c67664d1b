import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { addSummary, annotationLines } from '../../cli/action/workflow-commands.ts'
import type { ApiServer } from './api-server.ts'
import { startEverything } from './every-command.ts'
import { collect, type User } from './run-hookline.ts'
import { routesOfSite } from './stored-content.ts'

function runAction(api: ApiServer, user: User, inputs: Record<string, string>, env: Record<string, string> = {}) {
  const given = { folder: 'site', api: api.url, key: 'hk_key', 'max-fee': '1', site: 'site', ...inputs }
  const child = spawn(process.execPath, [inject('actionFile')], {
    cwd: user.home,
    env: {
      PATH: process.env.PATH,
      HOME: user.home,
      GITHUB_OUTPUT: user.path('output.txt'),
      GITHUB_STEP_SUMMARY: user.path('summary.md'),
      GITHUB_REPOSITORY: 'ada/site',
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return collect(child)
}

/** The outputs as the runner reads them. */
function outputsOf(user: User): Record<string, string> {
  const text = readFileSync(user.path('output.txt'), 'utf8')
  return Object.fromEntries(
    [...text.matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value ?? '']),
  )
}

it('command 39: deploys with its inputs by environment, and sets outputs from the JSON', async () => {
  const { api, user } = await startEverything()
  const { code, stdout, stderr } = await runAction(api, user, {})
  expect(code, stdout + stderr).toBe(0)
  const outputs = outputsOf(user)
  expect(outputs).toMatchObject({ state: 'stored', version: '2', url: expect.stringContaining('.storage.localhost') })
  expect(JSON.parse(outputs.json ?? '')).toMatchObject({ command: 'site deploy', ok: true })
  expect(readFileSync(user.path('summary.md'), 'utf8')).toContain('deployed')
})

it('stores the website where its input to says, and refuses what is no target before anything is sent', async () => {
  const { api, user } = await startEverything()
  api.routes.unshift(...(await routesOfSite({ 'index.html': '<h1>Site</h1>' })))
  expect((await runAction(api, user, { to: 'nativecoin' })).code).toBe(0)
  expect(JSON.parse(outputsOf(user).json ?? '')).toMatchObject({ result: { items: [{ blockchain: 'Nativecoin' }] } })
  const { code, stdout } = await runAction(api, user, { to: 'nowhere' })
  expect([code, stdout]).toEqual([2, expect.stringMatching(/^::error::.*nowhere/m)])
})

it('command 39: is JavaScript on node24 with one file, and no step of its own', () => {
  const action = readFileSync('action.yml', 'utf8')
  expect(action).toContain('using: node24')
  expect(action).toContain('main: dist/action/index.js')
  expect(action).not.toMatch(/\brun:|\$\{\{/)
})

it('command 39: a folder named $(touch x) runs nothing', async () => {
  const { api, user } = await startEverything()
  for (const name of ['$(touch x)', '`touch x`', '--help', '; touch x']) {
    user.write(`${name}/index.html`, '<h1>Site</h1>')
    expect((await runAction(api, user, { folder: name })).code).toBe(0)
  }
  expect(existsSync(user.path('x'))).toBe(false)
})

it('command 39: the key is masked, and stands in no output', async () => {
  const { api, user } = await startEverything()
  const { stdout, stderr } = await runAction(api, user, { key: 'hk_very-secret' })
  expect(stdout.replace('::add-mask::hk_very-secret', '') + stderr).not.toContain('hk_very-secret')
  expect(readFileSync(user.path('output.txt'), 'utf8')).not.toContain('hk_very-secret')
})

it('command 40: requires max-fee', async () => {
  const { api, user } = await startEverything()
  const { code, stdout } = await runAction(api, user, { 'max-fee': '' })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^::error::.*max-fee/m)
  expect(api.seen).toEqual([])
})

it('command 40: a pull request of a fork, which has no secrets, ends as skipped', async () => {
  const { api, user } = await startEverything()
  user.write('event.json', JSON.stringify({ pull_request: { head: { repo: { full_name: 'eve/site' } } } }))
  const env = { GITHUB_EVENT_PATH: user.path('event.json'), GITHUB_EVENT_NAME: 'pull_request' }
  const { code } = await runAction(api, user, { key: '' }, env)
  expect(code).toBe(0)
  expect(outputsOf(user)).toEqual({ state: 'skipped' })
  expect(api.seen).toEqual([])
})

it('command 40: an empty key in the own repository is an error', async () => {
  const { api, user } = await startEverything()
  user.write('event.json', JSON.stringify({ pull_request: { head: { repo: { full_name: 'ada/site' } } } }))
  const env = { GITHUB_EVENT_PATH: user.path('event.json'), GITHUB_EVENT_NAME: 'pull_request' }
  expect((await runAction(api, user, { key: '' }, env)).code).toBe(2)
})

it('command 40: marks faults of _headers and _redirects by line, ten of a level at most', async () => {
  const { api, user } = await startEverything()
  const problems = Array.from({ length: 25 }, (_, index) => ({
    ...{
      file: index < 20 ? '_headers' : '_redirects',
      line: index + 1,
      text: 'Set-Cookie: a=b\n::error::x',
      fault: 'A site cannot set cookies.',
    },
    effect: index < 20 ? 'ignored' : 'fails',
  }))
  api.routes.unshift(['GET', /\/problems$/, () => ({ json: { problems } })])
  const { stdout } = await runAction(api, user, {})
  const warnings = stdout.split('\n').filter((line) => line.startsWith('::warning'))
  expect(warnings).toHaveLength(10)
  expect(warnings[0]).toBe(
    '::warning file=site/_headers,line=1::Set-Cookie: a=b%0A::error::x: A site cannot set cookies.',
  )
  expect(warnings[9]).toContain('11 more')
  expect(stdout.split('\n').filter((line) => line.startsWith('::error'))).toHaveLength(5)
})

it('command 40: keeps the summary under 1 MiB', async () => {
  const { user } = await startEverything()
  addSummary({ GITHUB_STEP_SUMMARY: user.path('summary.md') }, 'ä'.repeat(1_000_000))
  expect(readFileSync(user.path('summary.md')).length).toBeLessThan(1_048_576)
})

it('annotations escape what the runner would read as its own', () => {
  expect(annotationLines([{ file: 'a,b:c', line: 1, text: '100%\r\n', level: 'error' }])).toEqual([
    '::error file=a%2Cb%3Ac,line=1::100%25%0D%0A',
  ])
})

it('without a site it deploys nothing and says what to give', async () => {
  const { api, user } = await startEverything()
  const { code, stdout } = await runAction(api, user, { site: '' })
  expect(code).toBe(2)
  expect(stdout).toContain('The input site is empty.')
  expect(api.seen).toEqual([])
})
