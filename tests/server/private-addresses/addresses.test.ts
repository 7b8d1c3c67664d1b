import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { tempFolder } from '../../kit/temp-folder.ts'
import type {} from '../provided.ts'
import { nameOf, PLACES, type Place, type Reached } from './places.ts'

const NAMES = Object.keys(PLACES).filter((name): name is Place => name in PLACES)
const SCRIPT = join(import.meta.dirname, 'run.ts')

/** The arguments of `unshare` that run a command in a network of its own, with these addresses and names. */
function inNetwork(hosts: string, command: readonly string[]): string[] {
  const addresses = Object.values(PLACES).filter((address) => !address.startsWith('127.'))
  const script = [
    'ip link set lo up',
    ...addresses.map((address) => `ip address add ${address}/32 dev lo`),
    `mount --bind ${hosts} /etc/hosts`,
    'exec "$@"',
  ]
  return ['--map-root-user', '--mount', '--net', 'sh', '-ec', script.join('\n'), 'sh', ...command]
}

function hostsFile(folder: string): string {
  const file = join(folder, 'hosts')
  writeFileSync(file, `127.0.0.1 localhost\n${NAMES.map((name) => `${PLACES[name]} ${nameOf(name)}\n`).join('')}`)
  return file
}

/** A container may forbid networks of one's own; contract/outbound.test.ts asks the same by address anywhere. */
function canMakeNetworks(): boolean {
  try {
    execFileSync('unshare', inNetwork('/etc/hosts', ['true']), { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.runIf(canMakeNetworks())('the built server, with names that others made', () => {
  let reached: Record<Place, Reached>
  beforeAll(async () => {
    const folder = await tempFolder()
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', SCRIPT, inject('server'), folder]
    const { stdout } = await promisify(execFile)('unshare', inNetwork(hostsFile(folder), command))
    reached = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  })

  it.each(['loopback', 'private'] as const)('sends no webhook to a name of the %s address', (place) => {
    expect(reached[place].connections.webhook).toBe(0)
    expect(reached[place].webhook).toEqual({ taken: false, problem: 'It could not be reached.' })
  })

  it.each(['loopback', 'private'] as const)('asks no domain that DNS leads to the %s address', (place) => {
    expect(reached[place].connections.domain).toBe(0)
    expect(reached[place].domain).toEqual({ state: 'unknown', found: null })
  })

  it('reaches both at a public address, and its node on the loopback', () => {
    expect(reached.public.connections).toEqual({ webhook: expect.any(Number), domain: expect.any(Number) })
    expect(Math.min(...Object.values(reached.public.connections))).toBeGreaterThan(0)
  })
})
