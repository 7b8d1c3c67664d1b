import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, it } from 'vitest'
import { VERSION } from '../../contract/version.ts'
import { packServer } from '../../scripts/build-server.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import type {} from './provided.ts'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy')
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

let home: string

beforeAll(async () => {
  const folder = await tempFolder()
  // Without xz, which takes minutes.
  const packed = await packServer(inject('server'), folder, '--no-auto-compress')
  execFileSync('tar', ['--extract', '--file', packed, '--directory', folder])
  home = join(folder, `hookline-server-${VERSION}-linux-${process.arch}`)
})

it('is packed as one folder, with its licences and without a package of Node', () => {
  const names = ['LICENSES', 'bin', 'deploy', 'hookline-server', 'hookline.capnp', 'lib', 'main', 'migrations']
  expect(readdirSync(home).sort()).toEqual([...names, 'server.md', 'settings.example', 'workers'])
  expect(readdirSync(home, { recursive: true }).join('\n')).not.toMatch(/node_modules|miniflare|esbuild|wrangler/)
  const licences = readFileSync(join(home, 'LICENSES'), 'utf8')
  for (const name of ['hono', 'aws4fetch', 'valibot', 'workerd', 'Node.js', 'Cloudflare, Inc.'])
    expect(licences).toContain(name)
})

it('makes settings that only its owner reads, and never twice', async () => {
  const file = join(await tempFolder(), 'env')
  const init = (...more: string[]) =>
    execFileSync(join(home, 'hookline-server'), ['init', '--env', file, ...more], { stdio: 'pipe', encoding: 'utf8' })
  init('--base-url', 'https://api.example.net', '--storage-host', 'content.example.org')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('\nBASE_URL=https://api.example.net\n')
  expect(text).toMatch(/\nTOKEN_JWKS=\{"keys":\[\{.*"k":"[\w-]{43}"\}\]\}\n/)
  expect(text).toMatch(/\nDISK_BYTES=\d{9,}\n/)
  expect(() => init()).toThrow(/exists/)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('has a unit that systemd takes', async () => {
  const unit = join(await tempFolder(), 'hookline.service')
  writeFileSync(unit, read('hookline.service').replaceAll('/opt/hookline', home))
  expect(existsSync(/^Documentation=file:(.+)$/m.exec(readFileSync(unit, 'utf8'))?.[1] ?? '')).toBe(true)
  expect(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  for (const line of ['Type=exec', 'DynamicUser=yes', 'ProtectSystem=strict', 'MemoryMax=1G', 'TimeoutStopSec=30']) {
    expect(read('hookline.service').split('\n')).toContain(line)
  }
})

it('has an image whose files are those that are packed', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile).toMatch(/^FROM debian:bookworm-slim$/m)
  expect(dockerfile).toMatch(/^ENTRYPOINT \["\/opt\/hookline\/hookline-server"\]$/m)
  const compose = read('compose.yaml')
  expect(compose).toContain('dockerfile: deploy/Dockerfile')
  expect(compose).toContain('- data:/var/lib/hookline')
  expect(compose).toContain('test: [CMD, /opt/hookline/hookline-server, health]')
})
