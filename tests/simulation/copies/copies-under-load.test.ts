import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDevnet } from '../../../devnet/create-devnet.ts'
import { serveDevnet } from '../../../devnet/server.ts'
import { PLAIN } from '../../../scripts/backup/part-folder.ts'
import { copyTables, finishCopy } from '../../../scripts/backup/take-copy.ts'
import { listen } from '../../kit/loopback-server.ts'
import { serviceOnDaemon } from '../../node/writer/service-on-daemon.ts'
import { Random } from '../random.ts'
import { Load } from './load.ts'

/** Copies that are taken and restored: `COPIES=20` for as many as a release wants. */
const COPIES = Number(process.env.COPIES ?? 3)

let server: Server
let folder: string
let load: Load
beforeEach(async () => {
  for (const name of ['warn', 'error', 'info'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  folder = mkdtempSync(join(tmpdir(), 'hookline-copy-'))
  server = serveDevnet(createDevnet({ chains: ['Bitcoin'] }))
  load = new Load(await serviceOnDaemon({ url: `http://devnet:devnet@127.0.0.1:${await listen(server)}/bitcoin` }))
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

describe('a copy that is taken while the service works', () => {
  it.each(Array.from({ length: COPIES }, (_, seed) => seed + 1))(
    'is restored, agrees to the last unit, has all that was paid before, and pays nothing twice: seed %s',
    async (seed) => {
      const random = new Random(seed)
      await load.begin(random)
      for (let act = 0; act < 12; act++) await load.act()
      await load.finishOne()
      await load.beginMore()
      load.noteAcknowledged()
      const state = await copyTables(folder, {
        read: async (sql) => {
          const rows = load.service.d1.rows(sql).map((row) => Object.values(row).map(asCell))
          for (let act = 0; act < 3 && random.chance(0.5); act++) await load.act()
          return rows
        },
        sealing: PLAIN,
      })
      load.copyObjects()
      await finishCopy(folder, state, state.startedAt)
      for (let act = 0; act < 6; act++) await load.act()
      await load.restore(folder, random.chance(0.5))
      await load.settle()
      expect(await load.problems()).toEqual([])
    },
  )
})

function asCell(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}
