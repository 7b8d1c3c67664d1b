import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { linkCommand } from '../../scripts/link-command.ts'

let folder: string
let bins: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-link-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  bins = join(folder, 'node_modules', '.bin')
  const dist = join(folder, 'node_modules', 'hookline', 'dist')
  mkdirSync(bins, { recursive: true })
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'hookline.js'), '#!/bin/sh\necho "it runs: $1"\n', { mode: 0o755 })
})

it('lets the built command be found among the installed ones, also when it is linked again', () => {
  linkCommand(folder)
  linkCommand(folder)
  expect(execFileSync(join(bins, 'hookline'), ['--version'], { encoding: 'utf8' })).toBe('it runs: --version\n')
})

it('writes a command file on Windows', () => {
  linkCommand(folder, 'win32')
  expect(readdirSync(bins)).toEqual(['hookline.cmd'])
  expect(readFileSync(join(bins, 'hookline.cmd'), 'utf8')).toContain('\\hookline\\dist\\hookline.js" %*')
})

it('makes nothing where nothing is installed', () => {
  rmSync(join(folder, 'node_modules'), { recursive: true })
  linkCommand(folder)
  expect(existsSync(bins)).toBe(false)
})
