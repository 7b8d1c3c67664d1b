import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookline-package-'))
let tarball = ''

beforeAll(async () => {
  await buildPackage()
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: 'client' })
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a checker of packages on the tarball. */
function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    join('node_modules', '.bin', args[0] ?? ''),
    [...args.slice(1), tarball],
    { encoding: 'utf8' },
  )
  return { status, output: stdout + stderr }
}

it('command 31: publint --strict finds nothing in the packed tarball', () => {
  const { status, output } = check('publint', 'run', '--strict')
  expect(output).toContain('All good')
  expect(status, output).toBe(0)
})

it('command 31: attw --profile esm-only finds nothing in the packed tarball', () => {
  const { status, output } = check('attw', '--profile', 'esm-only')
  expect(status, output).toBe(0)
})

it('command 30: the tarball is below 1 MB, and installed from it the command runs', () => {
  expect(statSync(tarball).size).toBeLessThan(1_000_000)
  execFileSync('tar', ['xzf', tarball, '-C', folder])
  const version = execFileSync(process.execPath, [join(folder, 'package', 'dist', 'hookline.js'), '--version'], {
    encoding: 'utf8',
  })
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/)
})
