import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../kit/temp-folder.ts'
import { isInstalled } from '../run-proxy.ts'
import { Recorder } from './recorder.ts'

/** A program that commits rows one by one and says of each that it is there. */
const PROGRAM = `
const { DatabaseSync } = require('node:sqlite')
const { closeSync, fsyncSync, openSync, writeSync } = require('node:fs')
const [folder, synchronous] = process.argv.slice(1)
const database = new DatabaseSync(folder + '/database.sqlite')
database.exec('PRAGMA synchronous = ' + synchronous + '; PRAGMA journal_mode = WAL')
database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB)')
for (let id = 1; id <= 30; id++) {
  database.prepare('INSERT INTO rows VALUES (?, zeroblob(5000))').run(id)
  writeSync(1, id + '\\n')
}
const other = openSync(folder + '/other', 'w')
fsyncSync(other)
`

/** Runs the program until a sync; how many rows it said that there are, and how many there are after the cut. */
async function run(synchronous: string, last: number) {
  const own = await tempFolder()
  const folder = join(own, 'data')
  mkdirSync(folder)
  const recorder = new Recorder(folder, own)
  recorder.begin(last)
  const args = [...recorder.env, process.execPath, '-e', PROGRAM, folder, synchronous]
  const { stdout, signal } = spawnSync('env', args, { encoding: 'utf8' })
  const said = stdout.split('\n').length - 1
  expect([signal, recorder.syncs]).toEqual(['SIGKILL', last])
  recorder.loseUnsynced()
  const files = readdirSync(folder)
  const database = new DatabaseSync(join(folder, 'database.sqlite'))
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'rows'").get()
  const kept = table ? Number(database.prepare('SELECT count(*) AS kept FROM rows').get()?.kept) : 0
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
  return { said, kept, files }
}

describe.runIf(isInstalled('gcc'))('what is left by a power cut', () => {
  it.each([9, 17, 26])('is all that was said where each commit is synced, at sync %i', async (last) => {
    const { said, kept } = await run('FULL', last)
    expect(said).toBeGreaterThan(0)
    expect([said, said + 1]).toContain(kept)
  })

  it('is nothing where no commit is synced, and what was synced by another', async () => {
    const { said, kept, files } = await run('OFF', 1)
    expect([said, kept, files]).toEqual([30, 0, ['other']])
  })
})
