import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What the page helper is made of. */
const SOURCES = [
  'client-hook',
  'reader',
  'protocol',
  'contract',
  'scripts',
  'client/worker/report-message.ts',
  'console/build-manifest.ts',
  'package.json',
]

/** What an operator pinned, which is compiled in. */
const CHECKPOINTS = { Bitcoin: { height: 511, root: 'ab'.repeat(32), bits: 0x1d00ffff, time: 1_700_000_000 } }

const folders = mkdtempSync(join(tmpdir(), 'reproducible-'))
afterAll(() => rmSync(folders, { recursive: true, force: true }))

/** Builds a copy of the sources in `folder`, in another environment each time; returns the hash of every file. */
async function buildIn(folder: string, deps: Record<string, string>): Promise<Record<string, string>> {
  const place = join(folders, folder)
  mkdirSync(place, { recursive: true })
  for (const name of SOURCES) {
    cpSync(join(ROOT, name), join(place, name), { recursive: true, filter: (path) => !path.endsWith('/dist') })
  }
  mkdirSync(join(place, 'proof'))
  writeFileSync(join(place, 'proof/checkpoints.json'), JSON.stringify(CHECKPOINTS, undefined, deps.TZ?.length))
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  const program = "import('./scripts/build.ts').then(({ buildHook }) => buildHook())"
  const options = { cwd: place, env: { ...process.env, ...deps } }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options)
  const dist = join(place, 'client-hook/dist')
  const hash = (name: string) =>
    createHash('sha384')
      .update(readFileSync(join(dist, name)))
      .digest('base64')
  return Object.fromEntries(readdirSync(dist).map((name) => [name, hash(name)]))
}

it('the page helper is built to the same bytes in any folder, time zone and language', async () => {
  const [first, second] = await Promise.all([
    buildIn('a', { TZ: 'UTC', LANG: 'C' }),
    buildIn('another/and deeper', { TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8', NODE_ENV: 'development' }),
  ])
  expect(Object.keys(first)).toEqual(expect.arrayContaining(['hook.js.br', 'checkpoints.json.br']))
  expect(second).toEqual(first)
})
