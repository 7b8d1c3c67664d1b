import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { expect, inject, it } from 'vitest'
import { startEverything } from './every-command.ts'

it('command 30: is one file that imports nothing but Node, below 1 MB', () => {
  const text = readFileSync(inject('commandFile'), 'utf8')
  const imported = [...text.matchAll(/\b(?:import|from)\s*["']([^"']+)["']/g)].map(([, name]) => name)
  const required = [...text.matchAll(/\brequire\(["']([^"']+)["']\)/g)].map(([, name]) => name)
  expect(imported).toEqual(['node:module'])
  for (const name of required) expect(isBuiltin(name ?? ''), name).toBe(true)
  expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true)
  expect(statSync(inject('commandFile')).size).toBeLessThan(1_000_000)
})

it('command 30: is installed without dependencies or scripts', () => {
  const manifest = JSON.parse(readFileSync('client/package.json', 'utf8'))
  expect(manifest.bin).toEqual({ hookline: 'dist/hookline.js' })
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('scripts')
})

it('command 30: --version takes at most 1.8 times the processor time of bare Node, since commands are loaded when used', () => {
  const usage = `${inject('commandFile')}.usage.json`
  const preload = `--import=${new URL('../kit/report-usage.mjs', import.meta.url).href}`
  /** Microseconds of the processor, of user and system: what else the machine does adds little to them. */
  const time = (...args: string[]) => {
    const env = { ...process.env, USAGE_FILE: usage }
    execFileSync(process.execPath, [preload, ...args], { env, stdio: 'ignore' })
    const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usage, 'utf8'))
    return userCPUTime + systemCPUTime
  }
  const ratios = Array.from({ length: 41 }, () => {
    const bare = time('-e', '0')
    return time(inject('commandFile'), '--version') / bare
  })
  // The lower quartile: beside other work the longer of two loses more of the processor's caches.
  expect(ratios.sort((a, b) => a - b)[10]).toBeLessThanOrEqual(1.8)
})

it('command 32: asks no host but the service: no update check, no telemetry', async () => {
  const { api, user } = await startEverything()
  const record = user.path('hosts.txt')
  user.write(
    'record.mjs',
    `import net from 'node:net'
    import { appendFileSync } from 'node:fs'
    const { connect } = net.Socket.prototype
    net.Socket.prototype.connect = function (...args) {
      const { host, port } = [args].flat(2).find((one) => one && typeof one === 'object' && 'port' in one) ?? {}
      appendFileSync(${JSON.stringify(record)}, host + ':' + port + '\\n')
      return connect.apply(this, args)
    }`,
  )
  const env = { NODE_OPTIONS: `--import=${user.path('record.mjs')}` }
  for (const args of [
    ['put', 'a.txt', '--to', 'nativecoin', '--max-fee', '1'],
    ['ls'],
    ['whoami'],
    ['help'],
    ['--version'],
  ]) {
    expect(await user.run(args, { env })).toMatchObject({ code: args[0] === 'put' ? 8 : 0 })
  }
  expect(new Set(readFileSync(record, 'utf8').trim().split('\n'))).toEqual(new Set([new URL(api.url).host]))
})
